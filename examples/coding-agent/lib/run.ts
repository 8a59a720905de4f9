// Programs of the machine, in the working directory of the call.
export interface Ended {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export async function run(command: string[], cwd: string): Promise<Ended> {
  const proc = Bun.spawn(command, { cwd });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(proc.stdout).text(),
    new Response(proc.stderr).text(),
    proc.exited,
  ]);
  return { stdout, stderr, exitCode };
}

// git runs git, and says what it said when it fails.
export async function git(args: string[], cwd: string): Promise<string> {
  const ended = await run(['git', '--no-optional-locks', ...args], cwd);
  if (ended.exitCode !== 0) {
    const error = new Error(ended.stderr.trim() || `git ${args[0]} ended with ${ended.exitCode}`) as Error & { suggestion?: string };
    if (ended.stderr.includes('not a git repository')) {
      error.suggestion = 'Start gongu with --workdir set to the repository.';
    }
    throw error;
  }
  return ended.stdout;
}

export function cut(text: string, maxBytes: number): { text: string; truncated: boolean } {
  return text.length <= maxBytes ? { text, truncated: false } : { text: text.slice(0, maxBytes), truncated: true };
}
