// Lists the tools of an MCP server and calls one, with the client of the
// TypeScript SDK of one era: node call.mjs legacy|modern URL TOOL ARGUMENTS
// prints {protocol, tools, result} as JSON.
const [era, url, tool, args] = process.argv.slice(2);

async function connect() {
  const identity = { name: "gongu-test", version: "1.0.0" };
  if (era === "legacy") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(identity, { capabilities: {} });
    const transport = new StreamableHTTPClientTransport(new URL(url));
    await client.connect(transport);
    return { client, protocol: transport.protocolVersion };
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const revision = "2026-07-28";
  const client = new Client(identity, { capabilities: {}, versionNegotiation: { mode: { pin: revision } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, protocol: revision };
}

const { client, protocol } = await connect();
const { tools } = await client.listTools();
const result = await client.callTool({ name: tool, arguments: JSON.parse(args) });
console.log(JSON.stringify({ protocol, tools: tools.map((t) => t.name), result }));
await client.close();
