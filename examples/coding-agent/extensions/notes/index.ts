// Notes that outlive a session, and a word in the log about what takes long.
export function register(api: ExtensionApi, config?: { slowMs?: number; maxNotes?: number }): void {
  const slow = config?.slowMs ?? 2000;
  const most = config?.maxNotes ?? 100;
  const notes = (): { id: number; text: string; at: string }[] => api.state.get()?.notes ?? [];

  api.tools.register(
    {
      name: 'notes__add',
      description: 'Keep a note about this project for later sessions: a decision, a command that works, an open end.',
      parameters: {
        type: 'object',
        properties: { text: { type: 'string', minLength: 1, description: 'The note, in one or two sentences.' } },
        required: ['text'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    (ctx, input) => {
      const kept = notes();
      if (kept.length >= most) throw Object.assign(new Error(`there are ${most} notes already`), { suggestion: 'Remove some with notes__remove.' });
      const note = { id: (kept.at(-1)?.id ?? 0) + 1, text: input.text, at: new Date().toISOString() };
      api.state.set({ notes: [...kept, note] });
      return note;
    }
  );

  api.tools.register(
    {
      name: 'notes__list',
      description: 'The notes about this project, oldest first.',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => ({ notes: notes() })
  );

  api.tools.register(
    {
      name: 'notes__remove',
      description: 'Remove a note that is no longer true.',
      parameters: {
        type: 'object',
        properties: { id: { type: 'integer', description: 'The id of the note.' } },
        required: ['id'],
        additionalProperties: false,
      },
      annotations: { destructiveHint: true, openWorldHint: false },
    },
    (ctx, input) => {
      const kept = notes();
      const left = kept.filter((note) => note.id !== input.id);
      if (left.length === kept.length) throw new Error(`there is no note ${input.id}`);
      api.state.set({ notes: left });
      return { removed: input.id, left: left.length };
    }
  );

  api.pipeline.register('toolCall', async (ctx) => {
    const began = Date.now();
    const result = await ctx.next();
    const took = Date.now() - began;
    if (took >= slow) api.logger.warn(`${ctx.toolName} took ${took} ms`);
    return result;
  });
}
