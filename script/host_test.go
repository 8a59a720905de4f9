package script_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/script"
)

// TestHostSurface: one line for each thing that a script may use.
func TestHostSurface(t *testing.T) {
	work := tree(t, map[string]string{"a.txt": "héllo", "b.bin": "\xff\x00\x01", "d/x.json": `{"k":1}`})
	e := newEngine(t, script.Options{Workdir: work})
	full := filepath.ToSlash(work)
	for body, want := range map[string]string{
		// Bun
		`const f = Bun.file('a.txt'); return [f.size, await f.exists(), await f.text(), (await f.bytes()).length, await Bun.file('no').exists(), Bun.file('no').size, await Bun.file('d').exists()]`: `[6,true,"héllo",6,false,0,false]`,
		`return (await Bun.file('d/x.json').json()).k`:                                                                                     `1`,
		`return [...await Bun.file('b.bin').bytes()]`:                                                                                      `[255,0,1]`,
		`const n = await Bun.write('w/deep/o.txt', 'héy'); return [n, await Bun.file('w/deep/o.txt').text()]`:                              `[4,"héy"]`,
		`await Bun.write('w/bytes', new Uint8Array([1,255])); return [...await Bun.file('w/bytes').bytes()]`:                               `[1,255]`,
		`await Bun.write('w/resp', new Response('body')); await Bun.write('w/copy', Bun.file('w/resp')); return Bun.file('w/copy').text()`: `"body"`,
		`const t = Date.now(); await Bun.sleep(20); return Date.now() - t >= 15`:                                                           `true`,
		`return new Bun.CryptoHasher('sha256').update('abc').digest('hex').slice(0, 8)`:                                                    `"ba7816bf"`,
		`try { Bun.serve({}) } catch (e) { return e.message.slice(0, 47) }`:                                                                `"Bun.serve is not available to scripts. Nearest:"`,
		`try { Bun.spwan(['x']) } catch (e) { return e.message }`:                                                                          `"Bun.spwan is not available to scripts. Nearest: Bun.spawn."`,
		// node:path
		`const p = require('path'); return [p.join('a', '..', 'b', './c/'), p.normalize('/x//y/../z'), p.dirname('/a/b'), p.dirname('a'), p.basename('/a/b.ts', '.ts'), p.extname('a.b.c'), p.extname('.rc'), p.isAbsolute('/x'), p.relative('/a/b/c', '/a/d')]`: `["b/c/","/x/z","/a",".","b",".c","",true,"../../d"]`,
		`const p = require('path'); return [p.resolve('x') === ctx.workdir + '/x', p.resolve('/a', 'b', '../c'), p.parse('/home/f.txt'), p.format({ dir: '/d', base: 'f' })]`:                                                                                    `[true,"/a/c",{"root":"/","dir":"/home","base":"f.txt","ext":".txt","name":"f"},"/d/f"]`,
		// node:fs/promises
		`const fs = require('node:fs/promises'); return [await fs.readFile('a.txt', 'utf8'), (await fs.readFile('b.bin')).toString('hex'), await fs.readFile('a.txt', { encoding: 'base64' })]`:                                                                                                                                                                                                                                                                                                                                                        `["héllo","ff0001","aMOpbGxv"]`,
		`const fs = require('fs/promises'); await fs.mkdir('m/n', { recursive: true }); await fs.writeFile('m/n/f', 'one'); await fs.appendFile('m/n/f', ' two'); const s = await fs.stat('m/n/f'); return [await fs.readFile('m/n/f', 'utf8'), s.size, s.isFile(), s.isDirectory(), s.mtime instanceof Date]`:                                                                                                                                                                                                                                         `["one two",7,true,false,true]`,
		`const fs = require('fs/promises'); await fs.mkdir('l'); await fs.writeFile('l/b', ''); await fs.writeFile('l/a', ''); await fs.mkdir('l/c'); return [await fs.readdir('l'), (await fs.readdir('l', { withFileTypes: true })).map((e) => e.name + e.isDirectory())]`:                                                                                                                                                                                                                                                                           `[["a","b","c"],["afalse","bfalse","ctrue"]]`,
		`const fs = require('fs/promises'); await fs.writeFile('r1', 'x'); await fs.rename('r1', 'r2'); await fs.copyFile('r2', 'r3'); await fs.unlink('r2'); await fs.mkdir('rd/x', { recursive: true }); await fs.rm('rd', { recursive: true }); await fs.rm('none', { force: true }); const has = async (p) => fs.access(p).then(() => true, (e) => e.code); return [await has('r1'), await has('r2'), await has('r3'), await has('rd')]`:                                                                                                           `["ENOENT","ENOENT",true,"ENOENT"]`,
		`const fs = require('fs/promises'); const code = (p) => p.then(() => 'ok', (e) => e.code); return [await code(fs.readFile('no')), await code(fs.readFile('d')), await code(fs.readdir('a.txt')), await code(fs.mkdir('d')), await code(fs.readFile('/etc/hostname')), await code(fs.writeFile('../x', '')), await code(fs.rm('d')), await code(fs.rm('/etc')), await code(fs.unlink('../../x')), await code(fs.writeFile('no/such', '')), await code(fs.writeFile('a.txt', '', { flag: 'wx' })), await code(fs.rm('.', { recursive: true }))]`: `["ENOENT","EISDIR","ENOTDIR","EEXIST","EACCES","EACCES","EISDIR","EACCES","EACCES","ENOENT","EEXIST",null]`,
		`const fs = require('fs/promises'), os = require('os'), p = require('path'); const d = await fs.mkdtemp(p.join(os.tmpdir(), 'x-')); return [d.startsWith(ctx.workdir), (await fs.stat(d)).isDirectory()]`:                                                                                                                                                                                                                                                                                                                                      `[true,true]`,
		`const fs = require('fs/promises'); try { fs.watch('x') } catch (e) { return e.message.split('.')[0] }`: `"node:fs/promises"`,
		// node:crypto
		`const c = require('node:crypto'); return [c.createHash('sha256').update('a').update('bc').digest('hex').slice(0, 8), c.createHash('md5').update('').digest('base64'), c.createHash('sha1').update('x').digest().length, c.createHmac('sha256', 'k').update('d').digest('hex').slice(0, 8), c.randomBytes(16).length, /^[0-9a-f-]{36}$/.test(c.randomUUID()), c.timingSafeEqual(Buffer.from('a'), Buffer.from('a'))]`: `["ba7816bf","1B2M2Y8AsgTpgAmY7PhCfg==",20,"e7ea21c3",16,true,true]`,
		`try { require('crypto').createHash('whirl') } catch (e) { return e.message }`:                        `"Digest method not supported: whirl; supported are md5, sha1, sha256, sha384, sha512"`,
		`const a = crypto.getRandomValues(new Uint32Array(4)); return [a.length, crypto.randomUUID().length]`: `[4,36]`,
		// url, buffer, util, os, events, timers
		`const u = new URL('../b?x=1&y=%ED%95%9C#h', 'HTTP://User:pw@Example.com:80/a/c/d'); u.searchParams.append('z', '2 3'); return [u.href, u.origin, u.protocol, u.host, u.pathname, u.search, u.hash, u.username, u.password, u.searchParams.get('y')]`: `["http://User:pw@example.com/a/b?x=1&y=%ED%95%9C&z=2+3#h","http://example.com","http:","example.com","/a/b","?x=1&y=%ED%95%9C&z=2+3","#h","User","pw","한"]`,
		`const u = new URL('https://x.test'); u.pathname = '/p q'; u.search = 'a=b'; u.port = '8443'; u.hash = 'f'; return [String(u), JSON.stringify({ u }), URL.canParse('nope'), URL.canParse('/x', 'https://y.test')]`:                                    `["https://x.test:8443/p%20q?a=b#f","{\"u\":\"https://x.test:8443/p%20q?a=b#f\"}",false,true]`,
		`try { new URL('nope') } catch (e) { return [e.name, e.code] }`: `["TypeError","ERR_INVALID_URL"]`,
		`const s = new URLSearchParams({ a: '1', b: 'x y' }); s.append('a', '2'); s.set('b', 'é'); s.delete('c'); return [String(s), s.getAll('a'), [...s].length, s.has('b'), s.size]`:                                                                                                                                                                              `["a=1&b=%C3%A9&a=2",["1","2"],3,true,3]`,
		`const { fileURLToPath, pathToFileURL } = require('url'); return [fileURLToPath('file:///a/b%20c'), pathToFileURL('/x y').href]`:                                                                                                                                                                                                                             `["/a/b c","file:///x%20y"]`,
		`const b = Buffer.from('héllo'); return [b.length, b.toString('hex'), b.toString('base64'), Buffer.from('aGk=', 'base64').toString(), Buffer.from('6869', 'hex').toString(), Buffer.concat([b, Buffer.from([33])]).toString(), Buffer.isBuffer(b), Buffer.byteLength('한'), b.subarray(0, 1).toString(), b.equals(Buffer.from('héllo')), Buffer.alloc(2, 1)]`: `[6,"68c3a96c6c6f","aMOpbGxv","hi","hi","héllo!",true,3,"h",true,{"type":"Buffer","data":[1,1]}]`,
		`const e = new TextEncoder().encode('한'); const d = new TextDecoder(); return [[...e], d.decode(e), d.decode(e.subarray(0, 2), { stream: true }) + d.decode(e.subarray(2)), d.decode(new Uint8Array([255]))]`:                                                                                                                                                `[[237,149,156],"한","한","�"]`,
		`return [btoa('hi'), atob('aGk=')]`: `["aGk=","hi"]`,
		`const util = require('node:util'); return [util.format('%s %d %j', 'a', 1.5, { b: 1 }), util.inspect({ a: [1, 'x'] }), await util.promisify((x, cb) => cb(null, x + 1))(1)]`:                                                                `["a 1.5 {\"b\":1}","{a: [1, \"x\"]}",2]`,
		`const { EventEmitter } = require('events'); const e = new EventEmitter(); let n = 0; e.on('x', (v) => { n += v }); e.once('x', () => { n += 10 }); e.emit('x', 1); e.emit('x', 1); return n`:                                                `12`,
		`const { setTimeout: wait } = require('node:timers/promises'); return wait(1, 'v')`:                                                                                                                                                          `"v"`,
		`const os = require('os'); return [os.EOL, typeof os.platform(), os.cpus().length > 0, typeof os.homedir()]`:                                                                                                                                 `["\n","string",true,"string"]`,
		`return [process.cwd() === ctx.workdir, typeof process.platform, process.env.PATH !== undefined, process.env.SECRET_KEY, process.env.MY_VAR]`:                                                                                                `[true,"string",true,null,"shown"]`,
		`process.on('exit', () => {}); let order = []; process.nextTick(() => order.push('tick')); setImmediate(() => order.push('immediate')); queueMicrotask(() => order.push('micro')); await new Promise((r) => setTimeout(r, 5)); return order`: `["tick","micro","immediate"]`,
		// timers and abort
		`let n = 0; const i = setInterval(() => { if (++n === 3) clearInterval(i) }, 1); await new Promise((r) => setTimeout(r, 50)); return n`:                                 `3`,
		`const t = setTimeout(() => { throw 1 }, 5); clearTimeout(t); clearTimeout(undefined); return 'ok'`:                                                                     `"ok"`,
		`setTimeout(() => { throw new Error('late') }, 1); await new Promise((r) => setTimeout(r, 10)); return 'ok'`:                                                            `"ok"`,
		`const c = new AbortController(); let seen = ''; c.signal.addEventListener('abort', () => { seen = c.signal.reason.name }); c.abort(); return [seen, c.signal.aborted]`: `["AbortError",true]`,
		`const s = AbortSignal.timeout(5); await new Promise((r) => s.addEventListener('abort', r)); return [s.reason.name, AbortSignal.any([s]).aborted]`:                      `["TimeoutError",true]`,
		// values
		`const o = { d: new Date(0), m: new Map([[1, { a: 1 }]]), s: new Set([1]), a: new Uint8Array([1]) }; o.self = o; const c = structuredClone(o); return [c.self === c, c.m.get(1).a, c.s.has(1), c.d instanceof Date, c.a[0], c !== o]`: `[true,1,true,true,1,true]`,
		`try { structuredClone(() => {}) } catch (e) { return e.name }`: `"DataCloneError"`,
		`const r = new Response('{"a":1}', { status: 201, headers: { 'X-A': 'b' } }); const c = r.clone(); return [r.ok, r.status, r.headers.get('x-a'), await r.json(), await c.text(), r.bodyUsed]`: `[true,201,"b",{"a":1},"{\"a\":1}",true]`,
		`const r = new Response('x'); await r.text(); try { await r.text() } catch (e) { return e.message }`:                                                                                          `"Body already used"`,
		`const b = new Blob(['a', new Uint8Array([98])], { type: 't' }); return [b.size, await b.text(), b.type, await new Response(b).text()]`:                                                       `[2,"ab","t","ab"]`,
		`const h = new Headers([['B', '1'], ['a', '2']]); h.append('b', '3'); return [...h]`:                                                                                                          `[["a","2"],["b","1, 3"]]`,
		`return [typeof globalThis.__gongu_host, typeof globalThis.__gongu_entries, typeof performance.now()]`:                                                                                        `["undefined","undefined","number"]`,
	} {
		t.Run(body, func(t *testing.T) {
			t.Setenv("SECRET_KEY", "s3cret")
			t.Setenv("MY_VAR", "shown")
			own := e
			if strings.Contains(body, "MY_VAR") {
				own = newEngine(t, script.Options{Workdir: work, Env: []string{"MY_*"}})
			}
			body := strings.ReplaceAll(body, "$WORK", full)
			m := load(t, own, "export const handlers = { run: async (ctx, input) => {"+body+"} };")
			defer m.Close()
			wantText(t, output(t, m, "run", `{}`), want)
		})
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(work), "x")); err == nil {
		t.Error("a script wrote outside of the working directory")
	}
}

// TestProcesses: Bun.spawn and node:child_process.
func TestProcesses(t *testing.T) {
	if !proc.Groups {
		t.Skip("no shell") //rules:skip Windows has no process groups
	}
	work := tree(t, map[string]string{"sub/x": ""})
	e := newEngine(t, script.Options{Workdir: work, MaxRead: 100_000})
	t.Setenv("SECRET_KEY", "s3cret")
	for body, want := range map[string]string{
		`const p = Bun.spawn(['sh', '-c', 'echo out; echo err >&2; exit 5']); const code = await p.exited; return [code, p.exitCode, await new Response(p.stdout).text(), await p.stderr.text(), p.signalCode]`: `[5,5,"out\n","err\n",null]`,
		`const p = Bun.spawn({ cmd: ['pwd'], cwd: 'sub' }); return (await p.stdout.text()).trim().endsWith('/sub')`:                                                                                             `true`,
		`const p = Bun.spawn(['sh', '-c', 'echo $SECRET_KEY-$A-$HOME'], { env: { A: 'b' } }); return p.stdout.text()`:                                                                                           `"-b-\n"`,
		`return Bun.spawn(['sh', '-c', 'echo "[$SECRET_KEY]"']).stdout.text()`:                                                                                                                                  `"[]\n"`,
		`let out = ''; for await (const c of Bun.spawn(['echo', 'it']).stdout) out += new TextDecoder().decode(c); return out`:                                                                                  `"it\n"`,
		`const r = Bun.spawn(['echo', 'rd']).stdout.getReader(); const a = await r.read(); return [new TextDecoder().decode(a.value), (await r.read()).done]`:                                                   `["rd\n",true]`,
		`return [...await Bun.spawn(['printf', '\\377\\001']).stdout.bytes()]`:                                                                                                                                  `[255,1]`,
		`const p = Bun.spawn(['sleep', '60']); p.kill(); return [await p.exited, p.signalCode, p.killed]`:                                                                                                       `[143,"SIGTERM",true]`,
		`const p = Bun.spawn(['no-such-program-here']); try { await p.exited } catch (e) { return [e.code, e.message] }`:                                                                                        `["ENOENT","There is no program \"no-such-program-here\"."]`,
		`try { await Bun.spawn(['pwd'], { cwd: '/etc' }).exited } catch (e) { return e.code }`:                                                                                                                  `"EACCES"`,
		`try { await Bun.spawn(['pwd'], { cwd: 'none' }).exited } catch (e) { return e.code }`:                                                                                                                  `"ENOENT"`,
		`try { Bun.spawn(['cat'], { stdin: 'text' }) } catch (e) { return e.message.includes('stdin') }`:                                                                                                        `true`,
		`try { await Bun.spawn(['sh', '-c', 'head -c 200000 /dev/zero']).stdout.text() } catch (e) { return e.code }`:                                                                                           `"ERR_CHILD_PROCESS_STDIO_MAXBUFFER"`,
		`const { execFile } = require('node:child_process'); const { promisify } = require('node:util'); const run = promisify(execFile); const ok = await run('echo', ['a b']); try { await run('sh', ['-c', 'echo no >&2; exit 3']) } catch (e) { return [ok.stdout, e.code, e.stderr, e.message] }`: `["a b\n",3,"no\n","Command failed: sh -c echo no >&2; exit 3\nno\n"]`,
		`const cp = require('child_process'); return new Promise((r) => cp.execFile('sh', ['-c', 'exit 2'], (e, out, err) => r([e.code, out, err])))`:                                                                                                                                                  `[2,"",""]`,
		`const cp = require('child_process'); return new Promise((r) => cp.exec('echo $((1+1))', (e, out) => r(out)))`:                                                                                                                                                                                 `"2\n"`,
		`const cp = require('child_process'); return new Promise((r) => { const c = cp.spawn('sh', ['-c', 'echo x; exit 7']); let s = ''; c.stdout.setEncoding('utf8').on('data', (d) => { s += d }); c.on('close', (code) => r([s, code])) })`:                                                        `["x\n",7]`,
		`const cp = require('child_process'); return new Promise((r) => cp.spawn('no-such-program-here').on('error', (e) => r(e.code)))`:                                                                                                                                                               `"ENOENT"`,
		`const cp = require('child_process'); return new Promise((r) => cp.execFile('sleep', ['60'], { timeout: 50 }, (e) => r([e.killed, e.signal])))`:                                                                                                                                                `[true,"SIGTERM"]`,
	} {
		t.Run(body, func(t *testing.T) { wantText(t, evaluate(t, e, body), want) })
	}
}

// TestFetch: requests and what can become of them.
func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/json", http.StatusFound)
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"q":%q,"auth":%q}`, r.URL.RawQuery, r.Header.Get("Authorization"))
		case "/bytes":
			_, _ = w.Write([]byte{0, 255, 1})
		case "/large":
			_, _ = w.Write(bytes.Repeat([]byte("x"), 200_000))
		case "/slow":
			<-r.Context().Done()
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	e := newEngine(t, script.Options{AllowPrivate: []string{"127.0.0.1"}, MaxRead: 100_000})
	for body, want := range map[string]string{
		`const r = await fetch(U + '/json?a=1', { headers: { Authorization: 'x' } }); return [r.ok, r.headers.get('content-type'), await r.json()]`: `[true,"application/json",{"q":"a=1","auth":"x"}]`,
		`const r = await fetch(new Request(U + '/redirect')); return [r.redirected, r.url.endsWith('/json'), r.status]`:                             `[true,true,200]`,
		`const r = await fetch(U + '/redirect', { redirect: 'manual' }); return [r.status, r.headers.get('location')]`:                              `[302,"/json"]`,
		`return [...await (await fetch(U + '/bytes')).bytes()]`:                                                                                     `[0,255,1]`,
		`return (await fetch(U + '/none')).status`:                                                                                                  `404`,
		`const r = await fetch(U + '/large'); try { await r.text() } catch (e) { return [r.status, e.code] }`:                                       `[200,"ERR_BODY_TOO_LARGE"]`,
		`try { await fetch(U + '/slow', { signal: AbortSignal.timeout(30) }) } catch (e) { return e.name }`:                                         `"TimeoutError"`,
		`try { await fetch('file:///etc/passwd') } catch (e) { return [e.name, e.message] }`:                                                        `["TypeError","Unsupported protocol: file: (only http and https are allowed)"]`,
		`try { await fetch('nope') } catch (e) { return e.name }`:                                                                                   `"TypeError"`,
		`try { await fetch(U, { body: 'x' }) } catch (e) { return e.name }`:                                                                         `"TypeError"`,
	} {
		t.Run(body, func(t *testing.T) {
			wantText(t, evaluate(t, e, "const U = '"+server.URL+"';"+body), want)
		})
	}
}

// TestConsole: what a script prints goes to the logger, and only there.
func TestConsole(t *testing.T) {
	var log bytes.Buffer
	e := newEngine(t, script.Options{Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	m := handler(t, e, `(ctx) => { console.log('a %s', 'b', { c: [1] }); ctx.logger.warn('careful'); console.error(new Error('bad')); console.debug(1n); console.log('x'.repeat(20000)); for (let i = 0; i < 1100; i++) console.log('x'); }`)
	ctx := withLogger(t, slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if r := call(ctx, m, "run", `{}`); r.Failed() {
		t.Fatal(r.Error)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 1001 {
		t.Errorf("%d lines", len(lines))
	}
	for i, want := range []string{`INFO a b {c: [1]}`, `WARN careful`, `ERROR Error: bad`, `DEBUG 1n`} {
		var line struct{ Level, Msg, Module string }
		if err := json.Unmarshal([]byte(lines[i]), &line); err != nil {
			t.Fatal(err)
		}
		wantText(t, line.Level+" "+line.Msg, want)
		wantText(t, line.Module, "index.ts")
	}
	if longest := len(lines[4]); longest < 8000 || longest > 10_000 {
		t.Errorf("a line of %d bytes", longest)
	}
	wantPart(t, lines[1000], "more than 1000 lines")
}
