// tools/bash/index.ts
import type { ToolHandler, ToolContext, JsonValue } from '@goondan/core';

export const handlers: Record<string, ToolHandler> = {
  'exec': async (ctx: ToolContext, input: { command: string }): Promise<JsonValue> => {
    const proc = Bun.spawn(['sh', '-c', input.command], {
      cwd: ctx.workdir,
    });
    const output = await new Response(proc.stdout).text();
    return { stdout: output, exitCode: proc.exitCode };
  },

  'script': async (ctx: ToolContext, input: { path: string }): Promise<JsonValue> => {
    const proc = Bun.spawn(['sh', input.path], {
      cwd: ctx.workdir,
    });
    const output = await new Response(proc.stdout).text();
    return { stdout: output, exitCode: proc.exitCode };
  },
};
