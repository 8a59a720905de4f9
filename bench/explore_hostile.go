package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
)

// hostileAlphabets are the characters of texts that cost many tokens.
var hostileAlphabets = []string{
	"abcdefghijklmnopqrstuvwxyz      ",
	"qzxjvkw     aeiou",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
	"abcdefghijklmnopqrstuvwxyz0123456789.,:;!?()[]{}<>/+=*&^%$#@~|'\"\\ ",
	"뷁쀍쬻가나다라마바사 아자차카타파하 그립니다",
	"中龘鬱é ñ\u0301ß\U00012000\U0001F9D1 0 1 2 a b",
	strings.Join([]string{"get ", "the ", "list ", "q", "z ", "Xj", "8", "-"}, ""),
}

const hostileNames = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// hostile searches catalogs whose tools are made to cost many tokens: random
// texts, and mutations of them that are kept whenever the reply gets longer.
func (x *exploring) hostile(ctx context.Context, p plan) (trips, error) {
	generations := 400
	if p.quick {
		generations = 10
	}
	random := rand.New(rand.NewPCG(3, 5))
	var all trips
	for _, alphabet := range hostileAlphabets {
		texts := make([][]rune, 8)
		names := make([][]rune, 8)
		for i := range texts {
			texts[i] = drawn(random, []rune(alphabet), 150)
			names[i] = drawn(random, []rune(hostileNames), []int{8, 40}[i%2])
		}
		best := 0
		for range generations {
			which, in, from := random.IntN(len(texts)), texts, []rune(alphabet)
			if random.IntN(4) == 0 {
				in, from = names, []rune(hostileNames)
			}
			text := in[which]
			place := random.IntN(len(text))
			old := text[place]
			text[place] = from[random.IntN(len(from))]
			cost, err := x.hostileReply(ctx, names, texts)
			if err != nil {
				return nil, err
			}
			if cost < best {
				text[place] = old
			}
			best = max(best, cost)
		}
		all = append(all, trip{reply: best})
	}
	return all, nil
}

func drawn(random *rand.Rand, from []rune, n int) []rune {
	text := make([]rune, n)
	for i := range text {
		text[i] = from[random.IntN(len(from))]
	}
	return text
}

// hostileReply is the cost of a reply that lists tools with these names and
// descriptions. The keyword finds all of them.
func (x *exploring) hostileReply(ctx context.Context, names, texts [][]rune) (int, error) {
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	tools := explore.Tools(nil)
	for i := range names {
		name := strings.ReplaceAll(string(names[i]), "__", "_-") + fmt.Sprint(i)
		tools = append(tools, gongu.Tool{
			Name: name, Description: string(texts[i]), Keywords: []string{"everything"},
			Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) },
		})
	}
	if err := registry.Add(tools...); err != nil {
		return 0, err
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry), Logger: silence()})
	_, reply, err := x.search(ctx, executor, "everything")
	return x.count(string(reply)), err
}
