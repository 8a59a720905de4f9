#!/bin/sh
# The story of the curved sofa, as far as a model tells it. Run it in a copy of
# this folder: it writes tool-requests.json, .gongu and fallback.png.
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
