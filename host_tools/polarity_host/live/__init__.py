"""The live page: the mat as it is now, for browsers and scripts on this computer or in the local
network.

`mat_session` follows a mat; `scene` and `game_state` build up from its messages what lies where and
how the game stands; `live_state` is the whole that viewers get; `server` sends it to browsers.
API.md describes what goes over HTTP and WebSocket.
"""
