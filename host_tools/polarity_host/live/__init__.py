"""The live page: the mat as it is now, for browsers and scripts on this computer or in the house.

`scene` folds messages into what lies where, `board` into the whole that a viewer is shown, `server`
hands that to browsers. API.md describes what goes over HTTP and WebSocket.
"""
