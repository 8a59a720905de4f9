package pin

import (
	"strings"
	"unicode"
)

// foreign makes phrases of languages whose letters normal changes: the forms are
// changed likewise. \b knows only ASCII, so these forms have none.
func foreign(severity Severity, marks, form string) phrase {
	list := words(alike(marks))
	return instruction(severity, list, alike(form))
}

// alike replaces letters that look like Latin ones, as normal does.
func alike(text string) string {
	return strings.Map(func(r rune) rune {
		if latin, ok := lookAlikes[r]; ok {
			return latin
		}
		return r
	}, text)
}

// worldPhrases are the orders of phrases in other languages: to ignore earlier
// instructions, to keep something from the user, and to send secrets.
func worldPhrases() phraseSet {
	return phraseSet{
		// German.
		foreign(High, "ignorier,missacht,vergiss,vergesse", `(?:ignorier|missacht|vergiss|vergesse)[^.!?]{0,30}(?:vorherig|bisherig|früher|obig|alle|system)[^.!?]{0,30}(?:anweisung|regel|vorgabe|instruktion|richtlinie|prompt)`),
		foreign(High, "benutzer,nutzer,anwender", `(?:benutzer|nutzer|anwender)[^.!?]{0,40}(?:nicht|nichts|kein)[^.!?]{0,25}(?:sagen|sage|mitteil|erwähn|informier|verrat|zeig|frag)|(?:sage|sag|verrate|erwähne|teile|informiere|zeige|frage)[^.!?]{0,25}(?:benutzer|nutzer|anwender)[^.!?]{0,20}(?:nicht|nichts|kein)|ohne[^.!?]{0,20}(?:benutzer|nutzer|anwender)[^.!?]{0,20}zu (?:fragen|informieren|sagen|benachrichtigen)`),
		foreign(High, "heimlich,unbemerkt,stillschweigend", `(?:heimlich|unbemerkt|stillschweigend)[^.!?]{0,50}(?:send|schick|lies|lese|kopier|führ|häng|weiterleit|übermitt|lad)`),
		foreign(High, "passw,kennw,schlüssel,zugangsdaten,gesprächsverlauf,systemprompt", `(?:send|schick|übermitt|leite|füge|kopier|häng)[^.!?]{0,60}(?:passwort|passwörter|kennwort|kennwörter|api-?schlüssel|private[nr]? schlüssel|zugangsdaten|gesprächsverlauf|systemprompt)[^.!?]{0,40}(?: an |weiter|mit|bei|ein)`),
		// Chinese, simplified and traditional.
		foreign(High, "忽略,无视,無視,忘记,忘記,不要遵守", `(?:忽略|无视|無視|忘记|忘記|不要遵守)[^。！？.!?]{0,12}(?:之前|先前|以前|上述|以上|所有|任何|系统|系統|其他)[^。！？.!?]{0,12}(?:指令|指示|规则|規則|提示|说明|說明|命令)`),
		foreign(High, "用户,用戶,使用者", `(?:不要|不得|切勿|请勿|請勿|别|別|无需|無需)[^。！？.!?]{0,8}(?:告诉|告訴|告知|通知|提醒|提及|透露|询问|詢問|让|讓)[^。！？.!?]{0,6}(?:用户|用戶|使用者)|(?:对|對|向)(?:用户|用戶|使用者)[^。！？.!?]{0,6}(?:隐瞒|隱瞞|保密)`),
		foreign(High, "悄悄,偷偷,秘密,暗中", `(?:悄悄|偷偷|秘密地|暗中)[^。！？.!?]{0,12}(?:发送|發送|上传|上傳|读取|讀取|复制|複製|执行|執行|转发|轉發)`),
		foreign(High, "密码,密碼,密钥,密鑰,令牌,私钥,私鑰,对话,對話,系统提示,系統提示", `(?:将|將|把)[^。！？.!?]{0,16}(?:密码|密碼|密钥|密鑰|令牌|私钥|私鑰|对话记录|對話記錄|对话历史|系统提示|系統提示)[^。！？.!?]{0,16}(?:发送|發送|发给|發給|传给|傳給|上传|上傳|放入|附在|填入)`),
		// French.
		foreign(High, "ignore,oublie,néglige", `(?:ignore[zr]?|oublie[zr]?|néglige[zr]?)[^.!?]{0,30}(?:précédent|antérieur|toutes|tous|ci-dessus|système)[^.!?]{0,30}(?:instruction|consigne|règle|directive)|(?:ignore[zr]?|oublie[zr]?)[^.!?]{0,20}(?:instructions|consignes|règles)[^.!?]{0,12}(?:précédent|antérieur)`),
		foreign(High, "utilisateur", `(?:ne |n'|sans )[^.!?]{0,25}(?:dites|dis|dire|mentionne|informe|préven|révèle|montre|demande|avert)[^.!?]{0,30}utilisateur`),
		foreign(High, "mot de passe,mots de passe,clé,jeton,identifiants", `(?:envoie|envoye|transmet|copie|ajoute|joins|joigne)[^.!?]{0,50}(?:mots? de passe|clés? (?:api|privée|secrète)|jetons? d'accès|identifiants)[^.!?]{0,40}(?: à | dans | vers | au )`),
		// Spanish.
		foreign(High, "ignora,ignore,olvid", `(?:ignora|ignore|ignorar|olvida|olvide)[^.!?]{0,30}(?:instrucciones|reglas|directrices|indicaciones)[^.!?]{0,15}(?:anterior|previa|del sistema|de arriba)|(?:ignora|ignore|olvida|olvide)[^.!?]{0,20}(?:todas|cualquier)[^.!?]{0,20}(?:instrucciones|reglas|directrices)`),
		foreign(High, "usuario", `(?:no |nunca |sin )[^.!?]{0,20}(?:digas|diga|decir|menciones|mencion|informes|informe|informar|reveles|revel|avis|muestr|pregunt)[^.!?]{0,25}usuario`),
		foreign(High, "contraseña,clave,credencial", `(?:envía|envíe|enviar|manda|mande|copia|copie|incluye|incluya|adjunta)[^.!?]{0,50}(?:contraseñas?|claves? (?:api|privada|secreta)|credenciales)[^.!?]{0,40}(?: a | en | al | como )`),
		// Russian.
		foreign(High, "игнорир,забуд,не обращай", `(?:игнорир|забуд|не обращай)[^.!?]{0,30}(?:предыдущ|прежн|все|выше|систем)[^.!?]{0,30}(?:инструкц|указан|правил|команд)`),
		foreign(High, "пользовател", `(?:не |никогда |без )[^.!?]{0,20}(?:говори|сообщ|упомин|раскрыва|показыва|спрашива|уведомл|ведома)[^.!?]{0,25}пользовател`),
		foreign(High, "парол,ключ,токен", `(?:отправ|перешли|передай|скопируй|приложи|включи)[^.!?]{0,50}(?:парол|приватн[а-яa-z]{0,4} ключ|api[ -]?ключ|токен)[^.!?]{0,40}(?: на | в | по | к )`),
		// Japanese.
		foreign(High, "無視,忘れ,従わない", `(?:これまで|以前|上記|前|すべて|全て|システム)[^。！？.!?]{0,12}(?:指示|命令|ルール|プロンプト|規則)[^。！？.!?]{0,8}(?:無視|忘れ|従わない)`),
		foreign(High, "ユーザ,利用者", `(?:ユーザー?|利用者)(?:に|には|へ)[^。！？.!?]{0,16}(?:伝えない|言わない|知らせない|教えない|通知しない|見せない|話さない|知らせず|伝えず|言わず|確認せず|内緒|秘密)`),
		foreign(High, "こっそり,密かに,ひそかに,黙って", `(?:こっそり|密かに|ひそかに|黙って)[^。！？.!?]{0,20}(?:送信|送っ|読み|コピー|実行|アップロード|転送)`),
		foreign(High, "パスワード,api,トークン,秘密鍵,会話", `(?:パスワード|api ?キー|トークン|秘密鍵|会話履歴|システムプロンプト)[^。！？.!?]{0,24}(?:送信して|送ってください|含めてください|渡してください|添付して|貼り付けて)`),
	}
}

// disguised undoes what hides words from a reader of words: digits and signs for
// letters, hyphens and dots inside words, and letters that stand alone. It
// returns an empty text when there is nothing to undo.
func disguised(text string) string {
	if !strings.ContainsAny(text, "-._013457@$|!*") && !spacedOut().MatchString(text) {
		return ""
	}
	out := spacedOut().ReplaceAllStringFunc(text, func(run string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" -._*|", r) {
				return -1
			}
			return r
		}, run)
	})
	for range 2 { // letters between two hyphens need a second time
		out = brokenWord().ReplaceAllString(out, "$1$2")
	}
	out = mixedWord().ReplaceAllStringFunc(out, unleet)
	if out == text {
		return ""
	}
	return out
}

// unleet reads digits and signs of a word as the letters they look like, if most
// of the word are letters.
func unleet(word string) string {
	letters := 0
	for _, r := range word {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters == 0 || letters == len(word) {
		return word
	}
	return strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i", "|", "l").Replace(word)
}

// The forms of disguises. A broken word has a hyphen, perhaps at the end of a
// line, between letters.
var (
	spacedOut  = lazy(`(?:\b[a-z0-9@$][ .\-_*|]){4,}[a-z0-9@$]\b`)
	brokenWord = lazy(`([a-z])[-\x{2010}\x{2011}] ?([a-z])`)
	mixedWord  = lazy(`[a-z0-9@$!|]{2,}`)
)

// imageForm is an image whose address takes data along: a model that repeats it
// sends them away when the answer is shown.
var imageForm = lazy(`!\[[^\]]{0,200}\]\(\s*https?://[^)\s]{0,300}(?:\?[^)\s]{0,200}=(?:[^)\s]{0,40}[{<$%\[]|\s*\))|[{<\[$])|<img[^>]{0,200}src\s*=\s*["']?https?://[^>\s]{0,300}(?:=\s*["'{<$\[]|[{$])`)

// secretParam is the name of a parameter that asks for what no tool needs: what
// the model was told, or a file of keys. The name is in lower case with
// underscores.
var secretParam = lazy(`^(?:(?:your_|the_|full_|entire_|complete_|whole_|current_|raw_|verbatim_)+(?:system_?prompt|instructions|conversation|chat|context|messages?)(?:_history|_log|_text|_window|_verbatim)?|(?:system_?prompt|conversation_history|chat_history|conversation)_(?:verbatim|dump|full|copy|so_far)|(?:contents?_of_|text_of_|dump_of_|copy_of_|read_|file_)?_?(?:dot_?ssh|ssh_private_key|ssh_id_rsa|id_rsa|id_ed25519|aws_credentials(?:_file)?|env_file|dot_?env|netrc|etc_passwd|etc_shadow|wallet_seed|seed_phrase|keychain|browser_cookies|mcp_json|claude_desktop_config)(?:_contents?|_text|_file|_dump|_value|_key)*|(?:all_|users?_|every_)+(?:api_keys|passwords|secrets|credentials|tokens|env(?:ironment)?(?:_vars?|_variables)?)(?:_dump|_contents?)?|env(?:ironment)?_(?:vars?_|variables?_)?dump)$`)

// snake is a name with underscores between its words.
func snake(name string) string {
	var out strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r == '-' || r == ' ' || r == '.':
			r = '_'
		case unicode.IsUpper(r) && lower:
			out.WriteByte('_')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
