import type { ToolHandler } from '@goondan/core';

export const handlers: Record<string, ToolHandler> = {
  greet: async (ctx, input: { name: string }) => ({ text: `Hello, ${input.name}` }),
};
