#!/bin/sh
# The story of the curved sofa: what a model does, what a person decides, and
# what the model can do then. Run it in a copy of this folder: it writes
# tool-requests.json, fallback.png and sofa.png.
set -eu
cd "$(dirname "$0")"

echo "What can I do?"
gongu cad exec list_domains

echo "Is there a tool for a curved sofa?"
gongu cad exec search_tools '{"query":"curved sofa"}'

echo "There is none, so I ask for it."
gongu cad exec request_tool '{
  "name": "draw_curved_sofa",
  "description": "호 형태의 곡선 소파",
  "needed_params": ["cx", "cy", "radius", "angle_span", "depth"]
}'

echo "Meanwhile I make do with arcs and lines."
gongu cad exec draw_arc '{"name":"front","cx":0,"cy":0,"radius":100,"start_angle":30,"end_angle":150,"angle_unit":"degree"}'
gongu cad exec draw_arc '{"name":"back","cx":0,"cy":0,"radius":170,"start_angle":30,"end_angle":150,"angle_unit":"degree","style":{"stroke":{"width":3}}}'
gongu cad exec draw_line '{"name":"right","points":[86.6,50,147.2,85]}'
gongu cad exec draw_line '{"name":"left","points":[-86.6,50,-147.2,85]}'
gongu cad render fallback.png --width 800

echo "A person looks at the request."
gongu requests list
gongu requests show req_001

echo "It is a good idea, and here is the tool."
gongu requests approve req_001 --macro macros/draw_curved_sofa.json --reason "useful"
gongu requests list --status fulfilled

echo "Now I have it. The makeshift goes, and the sofa comes."
for part in front back right left; do gongu cad exec delete "{\"name\":\"$part\"}"; done
gongu call --agent designer search_tools '{"query":"curved sofa"}' --json
gongu call --agent designer draw_curved_sofa '{"cx":0,"cy":0,"radius":100,"angle_span":150,"depth":80}' --json
gongu cad render sofa.png --width 800
