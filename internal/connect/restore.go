package connect

import (
	"os"
	"reflect"
)

// restoreServers restores the servers alone, in a file that was changed elsewhere
// since gongu connect: several clients keep more than settings in it and write
// it at every start. A file whose servers were changed as well, and one that
// is not JSON, is left alone.
func (c *Connection) restoreServers(last *undoRecord) error {
	now, err := readSettings(last.File)
	if err != nil {
		return err
	}
	found, err := readServers(last.File, now, c.client.name, c.place.path, c.Lang)
	if err != nil {
		return ErrEdited
	}
	if own, err := c.takeGongu(found); err != nil || own == nil {
		return ErrEdited
	}
	fresh, ok := restoredServers(now, last.Before, c.place.path, c.Name)
	if !ok {
		return ErrEdited
	}
	if err := replaceFile(last.File, now, true, fresh, 0o600); err != nil {
		return err
	}
	return os.Remove(last.path)
}

// restoredServers writes the object at a path as it was before, if everything in
// it but one name was in it before.
func restoredServers(now, before []byte, path []string, name string) ([]byte, bool) {
	root, err := parseJSONC(now)
	if err != nil {
		return nil, false
	}
	old, err := parseJSONC(before)
	if err != nil {
		return nil, false
	}
	servers, was := root.at(path...), old.at(path...)
	if servers == nil || servers.kind != '{' || was != nil && was.kind != '{' {
		return nil, false
	}
	for _, m := range servers.members {
		if m.name == name {
			continue
		}
		kept := was.member(m.name)
		if kept == nil || !reflect.DeepEqual(m.value.value(), kept.value.value()) {
			return nil, false
		}
	}
	if was != nil {
		return applyEdits(now, []textEdit{{servers.start, servers.end, string(before[was.start:was.end])}}), true
	}
	parent, last := root.at(path[:len(path)-1]...), path[len(path)-1]
	for i := range parent.members {
		if parent.members[i].name == last {
			return applyEdits(now, removeMembers(now, parent, []int{i})), true
		}
	}
	return nil, false
}
