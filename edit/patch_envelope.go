package edit

import (
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The lines that steer a patch between "*** Begin Patch" and "*** End Patch".
const (
	updateFile = "*** Update File: "
	addFile    = "*** Add File: "
	deleteFile = "*** Delete File: "
	moveTo     = "*** Move to: "
	endOfFile  = "*** End of File"
	endPatch   = "*** End Patch"
)

// envelope reads a patch whose beginning was found.
func (p *patchReader) envelope() ([]FilePatch, error) {
	for p.at < len(p.lines) {
		line := p.header(p.at)
		var err error
		switch {
		case line == endPatch:
			if len(p.files) == 0 {
				return nil, p.fail(p.at, lang.PatchEmpty)
			}
			return p.files, nil
		case strings.HasPrefix(line, strings.TrimSpace(updateFile)):
			err = p.update(pathAfter(line, updateFile))
		case strings.HasPrefix(line, strings.TrimSpace(addFile)):
			err = p.add(pathAfter(line, addFile))
		case strings.HasPrefix(line, strings.TrimSpace(deleteFile)):
			path := pathAfter(line, deleteFile)
			if path == "" {
				return nil, p.fail(p.at, lang.PatchNoPath)
			}
			p.files = append(p.files, FilePatch{Path: path})
			p.at++
		case line == "":
			p.at++
		default:
			err = p.fail(p.at, lang.PatchBadHunk, firstRunes(line, 60))
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, p.fail(max(0, len(p.lines)-1), lang.PatchNoEnd)
}

func pathAfter(line, prefix string) string {
	return strings.TrimSpace(strings.TrimPrefix(line, strings.TrimSpace(prefix)))
}

func (p *patchReader) add(path string) error {
	if path == "" {
		return p.fail(p.at, lang.PatchNoPath)
	}
	var content strings.Builder
	for p.at++; p.at < len(p.lines) && !strings.HasPrefix(p.lines[p.at], "***"); p.at++ {
		text, ok := strings.CutPrefix(p.lines[p.at], "+")
		if !ok {
			if strings.TrimSpace(p.lines[p.at]) == "" {
				continue
			}
			return p.fail(p.at, lang.PatchAdded)
		}
		content.WriteString(text + "\n")
	}
	p.files = append(p.files, FilePatch{To: path, Content: content.String()})
	return nil
}

func (p *patchReader) update(path string) error {
	if path == "" {
		return p.fail(p.at, lang.PatchNoPath)
	}
	f := FilePatch{Path: path, To: path}
	p.at++
	if line := p.header(p.at); strings.HasPrefix(line, strings.TrimSpace(moveTo)) {
		if f.To = pathAfter(line, moveTo); f.To == "" {
			return p.fail(p.at, lang.PatchNoPath)
		}
		p.at++
	}
	for p.at < len(p.lines) && !p.steers() {
		h, err := p.envelopeHunk()
		if err != nil {
			return err
		}
		if h.Old != "" || h.New != "" {
			f.Hunks = append(f.Hunks, h)
		}
	}
	if len(f.Hunks) == 0 && f.Path == f.To {
		return p.fail(p.at-1, lang.PatchEmpty)
	}
	p.files = append(p.files, f)
	return nil
}

// steers reports whether a line is about files and not of one.
func (p *patchReader) steers() bool {
	return strings.HasPrefix(p.lines[p.at], "*** ") && p.header(p.at) != endOfFile
}

// envelopeHunk reads the @@ lines, of which there may be none, and the lines of
// the file.
func (p *patchReader) envelopeHunk() (Hunk, error) {
	h := Hunk{appends: true}
	for ; p.at < len(p.lines) && strings.HasPrefix(p.lines[p.at], "@@"); p.at++ {
		line := p.header(p.at)
		if m := hunkHeader.FindStringSubmatch(line); m != nil {
			if atoi(m[2], 1) > 0 {
				h.Line = atoi(m[1], 0)
			}
			continue
		}
		within := strings.TrimSuffix(strings.TrimPrefix(line, "@@"), "@@")
		if within = strings.TrimSpace(within); within != "" {
			h.Within = append(h.Within, within)
		}
	}
	var text hunkText
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		if strings.HasPrefix(line, "@@") || p.steers() {
			break
		}
		if p.header(p.at) == endOfFile {
			h.AtEnd = true
			p.at++
			break
		}
		if isEmpty(line) {
			if p.blankBeforeNext() {
				continue
			}
			line = " " + line
		}
		if err := text.add(p, line, &h); err != nil {
			return h, err
		}
	}
	text.finish(&h)
	return h, nil
}

// blankBeforeNext reports whether blank lines only part this hunk from what
// follows.
func (p *patchReader) blankBeforeNext() bool {
	for i := p.at; i < len(p.lines); i++ {
		if !isEmpty(p.lines[i]) {
			return strings.HasPrefix(p.lines[i], "@@") || strings.HasPrefix(p.lines[i], "*** ")
		}
	}
	return true
}
