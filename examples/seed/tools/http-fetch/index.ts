// tools/http-fetch/index.ts
// The seed prints the YAML of this tool only; the module is ours.
import type { ToolHandler, ToolContext, JsonObject, JsonValue } from '@goondan/core';

async function send(url: string, init: RequestInit, ctx: ToolContext): Promise<JsonValue> {
  const response = await fetch(url, { ...init, signal: ctx.abortSignal });
  return {
    url,
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

export const handlers: Record<string, ToolHandler> = {
  'get': async (ctx: ToolContext, input: { url: string; headers?: Record<string, string> }): Promise<JsonValue> =>
    send(input.url, { method: 'GET', headers: input.headers }, ctx),

  'post': async (
    ctx: ToolContext,
    input: { url: string; body?: JsonObject; headers?: Record<string, string> },
  ): Promise<JsonValue> =>
    send(
      input.url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...input.headers },
        body: JSON.stringify(input.body ?? {}),
      },
      ctx,
    ),
};
