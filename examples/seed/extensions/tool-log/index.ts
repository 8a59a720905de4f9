// extension entry point
export function register(api: ExtensionApi): void {
  api.pipeline.register('toolCall', async (ctx) => {
    // next() 전 = 입력 검증/변환
    api.logger.debug(`Tool 호출: ${ctx.toolName}`, ctx.args);

    const startTime = Date.now();
    const result = await ctx.next();
    const elapsed = Date.now() - startTime;

    // next() 후 = 결과 후처리
    api.logger.debug(`Tool 완료: ${ctx.toolName} (${elapsed}ms)`);

    return result;
  });
}
