// One session of an MCP client, that of the TypeScript SDK of one era:
//
//   node session.mjs PLAN
//
// PLAN is {era: "legacy"|"modern", url | command, args, env, headers, calls:
// [{name, arguments}]}. It prints as JSON what the client saw: {revision,
// server, tools, results, asked, progress, changed}. The results are those of
// the wire, before the client reads them; a call that the client refuses is an
// {error}.
const plan = JSON.parse(process.argv[2]);
const identity = { name: "gongu-test", version: "1.0.0" };
const capabilities = { elicitation: { form: {} } };

const libraries = {
  legacy: {
    client: "@modelcontextprotocol/sdk/client/index.js",
    http: "@modelcontextprotocol/sdk/client/streamableHttp.js",
    stdio: "@modelcontextprotocol/sdk/client/stdio.js",
  },
  modern: {
    client: "@modelcontextprotocol/client",
    http: "@modelcontextprotocol/client",
    stdio: "@modelcontextprotocol/client/stdio",
  },
}[plan.era];

async function open() {
  if (plan.url) {
    const { StreamableHTTPClientTransport } = await import(libraries.http);
    return new StreamableHTTPClientTransport(new URL(plan.url), { requestInit: { headers: plan.headers ?? {} } });
  }
  const { StdioClientTransport } = await import(libraries.stdio);
  return new StdioClientTransport({ command: plan.command, args: plan.args, env: { ...process.env, ...plan.env }, stderr: "inherit" });
}

const seen = { results: [], asked: [], progress: 0 };
const { Client } = await import(libraries.client);
const options = { capabilities };
if (plan.era === "modern") options.versionNegotiation = { mode: { pin: "2026-07-28" } };
const client = new Client(identity, options);

const answer = (request) => {
  seen.asked.push(request.params.message);
  return { action: "accept", content: { name: "Kim" } };
};
if (plan.era === "modern") {
  client.setRequestHandler("elicitation/create", answer);
} else {
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  client.setRequestHandler(ElicitRequestSchema, answer);
}

const transport = await open();
const agreed = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (revision) => {
  seen.revision = revision;
  agreed?.(revision);
};
await client.connect(transport);
seen.server = client.getServerVersion();

// What comes over the wire, before the client makes objects of it.
let last;
const inner = transport.onmessage;
transport.onmessage = (message, extra) => {
  if (message.result !== undefined) last = message.result;
  inner(message, extra);
};

const { tools } = await client.listTools();
seen.tools = tools.map((tool) => tool.name);
for (const call of plan.calls) {
  last = undefined;
  try {
    const onprogress = () => seen.progress++;
    await (plan.era === "modern" ? client.callTool(call, { onprogress }) : client.callTool(call, undefined, { onprogress }));
    seen.results.push(last);
  } catch (error) {
    seen.results.push({ error: String(error.message ?? error) });
  }
}
await client.close();
console.log(JSON.stringify(seen));
