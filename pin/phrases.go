package pin

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// phrase is a form of hidden instructions to the model.
type phrase struct {
	rule     string
	severity Severity
	form     func() *regexp.Regexp
	// marks are parts of texts, one of which a text must have for the form to
	// match. Most texts have none, and looking for them is much cheaper.
	marks []string
}

// mayMatch reports whether the form can match a text.
func (p *phrase) mayMatch(text string) bool { return containsAny(text, p.marks) }

func containsAny(text string, marks []string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
}

type hit struct {
	rule     string
	severity Severity
	text     string
	from, to int
}

type phraseSet []phrase

// find returns the phrases in a text, which was normalized with [normal].
func (s phraseSet) find(text string) []hit {
	var out []hit
	for i := range s {
		p := &s[i]
		if !p.mayMatch(text) {
			continue
		}
		if at := p.form().FindStringIndex(text); at != nil {
			out = append(out, hit{p.rule, p.severity, text[at[0]:at[1]], at[0], at[1]})
		}
	}
	return out
}

// normal normalizes a text: without invisible characters, with one form for each
// letter, one blank between words, in lower case.
func normal(text string) string {
	if plainLower(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	blank := false
	for _, r := range norm.NFKC.String(text) {
		switch {
		case unicode.IsSpace(r):
			blank = true
			continue
		case r < 0x20, unicode.Is(unicode.Cf, r), r >= 0xe0000:
			continue
		}
		if blank && out.Len() > 0 {
			out.WriteByte(' ')
		}
		blank = false
		r = unicode.ToLower(r)
		if latin, ok := lookAlikes[r]; ok {
			r = latin
		}
		switch r {
		case '’', '‘', 'ʼ', '`':
			r = '\''
		case '“', '”':
			r = '"'
		}
		out.WriteRune(r)
	}
	return out.String()
}

// plainLower reports whether a text is normal already, as most are.
func plainLower(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c >= 0x80 || c >= 'A' && c <= 'Z' || c < 0x20 || c == '`' || c == ' ' && i > 0 && text[i-1] == ' ' {
			return false
		}
	}
	return text == "" || text[0] != ' ' && text[len(text)-1] != ' '
}

// lazy compiles a form at its first use, so that programs that scan nothing start
// faster.
func lazy(form string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
}

func instruction(severity Severity, marks []string, form string) phrase {
	return phrase{RuleInstruction, severity, lazy(form), marks}
}

// secretThings are what an attacker wants and few tools have a reason to name.
const secretThings = `(?:~/\.ssh|\.ssh/id_|id_rsa|id_ed25519|\.aws/credentials|\.netrc|/etc/shadow|/etc/passwd|\.env file|mcp\.json|claude_desktop_config|private keys?\b|wallet seed|seed phrase|access tokens?\b|api[ _-]?keys?\b|passwords?\b|session cookies?\b|system prompt|conversation history|chat history)`

// secretMarks are parts of secretThings, one of which each of them has.
var secretMarks = []string{
	"ssh", "id_", "credentials", "netrc", "/etc/", ".env", "mcp.json", "claude_desktop", "private key",
	"seed", "access token", "api", "password", "session cookie", "system prompt", "history",
}

// words are the marks of a list with commas between them.
func words(list string) []string { return strings.Split(list, ",") }

// phrases are matched against text in lower case. Each has a reason: what it
// catches is an order to the model, not a fact about the tool.
var phrases = append(phraseSet{
	// Orders to ignore earlier instructions.
	instruction(High, words("ignore,disregard,forget,override,bypass"), `\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,30}\b(?:previous|prior|earlier|above|all|any|other|your|system|safety)\b[^.!?]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directives?|messages?|policies|policy|restrictions)\b`),
	instruction(High, words("your new ,you are "), `\byour new (?:instructions?|task|role|objective|goal) (?:is|are)\b|\byou are (?:now|no longer) (?:a|an|in|the|bound)\b[^.!?]{0,40}(?:mode|assistant|agent|ai|admin|rules|restrictions)`),
	// Orders to keep something from the user.
	instruction(High, words("user,human,operator,owner,customer"), `\b(?:do not|don't|never|must not|without)\b[^.!?]{0,25}\b(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|alert|reveal|revealing|show|disclose|asking|ask)\b[^.!?]{0,25}\b(?:the )?(?:user|human|operator|owner|customer)s?\b(?: (?:about|that|of|this|before|for|anything|first)\b|[.!,;]|$)`),
	instruction(High, words("keep,hide,conceal"), `\b(?:keep|hide|conceal)\b[^.!?]{0,30}\b(?:secret|hidden|from)\b[^.!?]{0,15}\b(?:user|human|operator)s?\b`),
	instruction(High, words("silently,secretly,covertly,quietly,discreetly"), `\b(?:silently|secretly|covertly|quietly|discreetly)\b[^.!?]{0,40}\b(?:send|forward|include|read|upload|copy|append|post|add|attach|call|run|execute|exfiltrate|transmit)\b`),
	// Orders about other tools, before or instead of the work.
	instruction(High, words("before,prior to"), `\b(?:before|prior to)\b[^.!?]{0,30}\b(?:using|calling|invoking|running|any other|every|each)\b[^.!?]{0,60}\byou (?:must|have to|need to|should|shall)\b[^.!?]{0,60}\b(?:read|send|include|pass|call|fetch|open|cat|run|provide)\b[^.!?]{0,80}`+secretThings),
	instruction(Medium, words("this tool"), `\b(?:always|must)\b[^.!?]{0,20}\b(?:call|use|invoke|run) this tool\b[^.!?]{0,20}\b(?:first|before (?:any|every|each|all|using)|after every|on every)\b`),
	instruction(High, words("<"), `<\s*(?:important|system|instructions?|secret|admin|hidden|critical|sys)\s*>`),
	instruction(High, words("[,<|,system,assistant"), `\[\s*(?:system|inst|/inst|admin)\s*\]|<\|(?:im_start|im_end|system|endoftext)[^>]{0,20}\|>|\b(?:system|assistant)\s*:\s*(?:you|ignore|from now)`),
	instruction(Medium, words("from now on,in all "), `\b(?:from now on|in all (?:future|subsequent) (?:responses|messages|calls))\b[^.!?]{0,40}\byou\b`),
	instruction(High, words("must,has to,needs to,required to,shall"), `\b(?:as an? (?:ai|llm|language model|assistant)|the (?:ai|llm|assistant|model|agent))\b[^.!?]{0,20}\b(?:must|has to|needs to|is required to|shall)\b[^.!?]{0,60}\b(?:send|forward|upload|exfiltrate|copy|leak|transmit|read|include)\b`),
	// Orders to send data elsewhere.
	instruction(High, secretMarks, `\b(?:send|forward|upload|post|transmit|exfiltrate|copy|leak|email|bcc|append|include|attach|pass|paste|put)\b[^.!?]{0,60}`+secretThings+`[^.!?]{0,40}\b(?:to|in|into|as|within|here|parameter|argument|field)\b`),
	instruction(High, secretMarks, `\b(?:read|open|cat|load|fetch|get|contents? of)\b[^.!?]{0,30}(?:~/\.ssh|\.ssh/id_|id_rsa|id_ed25519|\.aws/credentials|\.netrc|/etc/shadow|claude_desktop_config)[^.!?]{0,60}\b(?:and|then|pass|send|as|into|in|to)\b`),
	instruction(High, words("email,message,payment,transfer,request,traffic"), `\b(?:all|every|any)\b[^.!?]{0,20}\b(?:emails?|messages?|payments?|transfers?|requests?|traffic)\b[^.!?]{0,20}\b(?:must|should|need to|have to|shall)\b[^.!?]{0,20}\b(?:be )?(?:sent|routed|forwarded|go|redirected|made)\b[^.!?]{0,15}\b(?:to|through|via)\b`),
	// The same in Korean.
	instruction(High, words("무시,잊,따르지,어기"), `(?:이전|앞선|기존|위의|모든|다른|시스템)[^.!?]{0,12}(?:지시|지침|명령|규칙|프롬프트)[^.!?]{0,10}(?:무시|잊|따르지|어기)`),
	instruction(High, words("사용자,유저,이용자,고객"), `(?:사용자|유저|이용자|고객)(?:에게|한테|께|가|는|의)?[^.!?]{0,24}(?:알리지|말하지|언급하지|보여주지|밝히지|묻지|모르게|몰래|숨기)`),
	instruction(High, words("몰래,은밀히,비밀리에,조용히"), `(?:몰래|은밀히|비밀리에|조용히)[^.!?]{0,30}(?:전송|보내|읽|복사|실행|호출|포함|첨부)`),
	instruction(High, words("비밀번호,패스워드,api,토큰,개인,시스템 프롬프트,대화"), `(?:비밀번호|패스워드|api ?키|토큰|개인 ?키|시스템 프롬프트|대화 (?:기록|내용))[^.!?]{0,24}(?:전송하|보내세요|보내라|보내야|함께 보내|포함하세요|포함해야|첨부하|넘기세요|전달하세요|전달해야)`),
	instruction(Medium, words("항상,반드시"), `(?:항상|반드시)[^.!?]{0,16}이 (?:도구|툴)(?:를|을)[^.!?]{0,10}(?:먼저|가장 먼저)`),
	// Mentioning such things is unusual, and not more than that.
	{RuleSecret, Low, lazy(`(?:~/\.ssh|\.ssh/id_|id_rsa|id_ed25519|\.aws/credentials|/etc/shadow|claude_desktop_config|wallet seed|seed phrase)`), secretMarks},
}, worldPhrases()...)
