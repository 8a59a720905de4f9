// Command upstream is the MCP server that the gateway benchmark puts behind
// everything it measures: a tool that echoes a text, and as many others as are
// asked for. It speaks both eras, over streamable HTTP and stdio. By itself it
// copies bytes instead of decoding them, so that it is never what is waited
// for; with -sdk it is written with the Go SDK, as real servers are.
//
//	upstream             streamable HTTP on a free port of 127.0.0.1
//	upstream -sdk        the same with the Go SDK
//	upstream -stdio      one message to a line
//
// Over HTTP the path /mcp has ten tools and /mcp/N has N. The first line of
// its output is the address. It ends when its input does.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	stdio := flag.Bool("stdio", false, "speak over stdin and stdout")
	sdk := flag.Bool("sdk", false, "serve with the Go SDK")
	tools := flag.Int("tools", defaultTools, "how many tools to have over stdio")
	flag.Parse()
	if err := run(*stdio, *sdk, *tools); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func run(stdio, sdk bool, tools int) error {
	if stdio {
		return serveLines(os.Stdin, os.Stdout, newServer(tools))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var handler http.Handler = newEndpoint()
	if sdk {
		handler = newSDKEndpoint()
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that matters
		_ = server.Close()
	}()
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serveLines answers one message after another. Answers are collected while
// more requests are waiting already.
func serveLines(in io.Reader, out io.Writer, s *server) error {
	reader, writer := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 1<<20)
	var line, answer []byte
	for {
		line = line[:0]
		for {
			part, err := reader.ReadSlice('\n')
			line = append(line, part...)
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				if errors.Is(err, io.EOF) {
					return writer.Flush()
				}
				return err
			}
		}
		if answer = s.answer(answer[:0], line, eraOf(line)); len(answer) > 0 {
			if _, err := writer.Write(append(answer, '\n')); err != nil {
				return err
			}
		}
		if reader.Buffered() == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
	}
}
