package auth

import (
	"net"
	"net/netip"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// CheckBind returns an error for an address that other machines can reach when
// requests are not authenticated. The address is one of net.Listen, such as
// 127.0.0.1:7410; without a host it is all addresses of the machine. A name
// other than localhost counts as public: it can resolve to any address.
func CheckBind(addr string, hasAuth bool) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return lang.NewError(ErrInvalid, lang.AuthBadAddress.With(addr), lang.AuthBadAddressHint.With())
	}
	if hasAuth || isLoopbackHost(host) {
		return nil
	}
	return lang.NewError(ErrUnsafe, lang.AuthUnsafe.With(addr), lang.AuthUnsafeHint.With(port))
}

func isLoopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// NoAuthNotice returns the warning to print when serving without
// authentication, in a language: "en" or "ko".
func NoAuthNotice(addr, language string) string {
	return lang.AuthNoAuthNotice.In(lang.Of(language), addr)
}
