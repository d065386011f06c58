"""How a mat announces itself to Home Assistant: its MQTT discovery
(https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery). Each entity reads the state that
is published anyway.
"""

import json
from typing import Any

from polarity_host.mqtt import topics

#: Component, entity, the template of its value, and what else it is.
ENTITIES: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("sensor", "turn", "{{ value_json.game.turn }}", {"icon": "mdi:rotate-right"}),
    ("sensor", "score_white", "{{ value_json.game.score[0] | default(None) }}",
     {"icon": "mdi:circle-outline"}),
    ("sensor", "score_black", "{{ value_json.game.score[1] | default(None) }}",
     {"icon": "mdi:circle"}),
    ("sensor", "ruling", "{{ value_json.ruling.words.LANGUAGE[:250] if value_json.ruling }}",
     {"icon": "mdi:gavel"}),
    ("binary_sensor", "fault",
     "{{ 'ON' if value_json.ruling and value_json.ruling.code in"
     " ('fault', 'capture_failed') else 'OFF' }}",
     {"icon": "mdi:alert"}),
    ("binary_sensor", "problem", "{{ 'ON' if value_json.health.why else 'OFF' }}",
     {"device_class": "problem", "entity_category": "diagnostic"}),
)  # fmt: skip
NAMES = {
    "turn": "Turn",
    "score_white": "Score of white",
    "score_black": "Score of black",
    "ruling": "Ruling",
    "fault": "Fault",
    "problem": "Health",
}


def announcement(mat: str, language: str) -> dict[str, bytes]:
    """The retained payloads that announce a mat, by their topics; rulings are in `language`.
    Templates are Jinja's, which Home Assistant fills in with the state's JSON."""
    state, status = topics.topic(mat, topics.STATE), topics.topic(mat, topics.STATUS)
    found = {}
    for component, entity, template, more in ENTITIES:
        ident = f"polarity_{mat.replace('-', '_')}_{entity}"
        config = {
            "name": NAMES[entity],
            "unique_id": ident,
            "object_id": ident,
            "state_topic": state,
            "value_template": template.replace("LANGUAGE", language),
            "availability_topic": status,
            "payload_available": topics.ONLINE.decode(),
            "payload_not_available": topics.OFFLINE.decode(),
            "device": {"identifiers": [f"polarity_{mat}"], "name": f"Polarity {mat}"},
            **more,
        }
        found[f"homeassistant/{component}/{ident}/config"] = json.dumps(config).encode()
    return found
