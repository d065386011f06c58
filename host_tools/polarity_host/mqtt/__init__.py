"""A mat's messages for an MQTT broker: what stands under which topic (`topics`), and who sends it
(`publisher`). TOPICS.md beside it describes both.
"""
