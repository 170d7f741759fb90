import type { Command } from './support.ts'

const create = (path: string, file_text: string): Command => ({ command: 'create', path, file_text })
const view = (path: string, view_range?: number[]): Command => ({
  command: 'view',
  path,
  ...(view_range !== undefined && { view_range }),
})
const replace = (path: string, old_str: string, new_str: string): Command => ({
  command: 'str_replace',
  path,
  old_str,
  new_str,
})
const insert = (path: string, insert_line: number, insert_text: string): Command => ({
  command: 'insert',
  path,
  insert_line,
  insert_text,
})
const remove = (path: string): Command => ({ command: 'delete', path })
const rename = (old_path: string, new_path: string): Command => ({ command: 'rename', old_path, new_path })

const numbered = Array.from({ length: 12 }, (_, i) => `line ${i + 1}`).join('\n')

/** Sequences of calls, each on an empty memory: every answer, and every file that they leave, is compared. */
export const corpus: Readonly<Record<string, readonly Command[]>> = {
  'an empty memory': [view('/memories'), view('/memories/none.md'), remove('/memories/none.md')],
  'create and view': [
    create('/memories/a.md', 'one\ntwo\n'),
    view('/memories/a.md'),
    create('/memories/empty.md', ''),
    view('/memories/empty.md'),
    create('/memories/no-newline.md', 'x'),
    view('/memories/no-newline.md'),
    create('/memories/a.md', 'again'),
    view('/memories/a.md'),
    create('/memories', 'x'),
  ],
  'directories, two levels deep': [
    create('/memories/b/c/d/deep.md', 'x'.repeat(1024)),
    create('/memories/b/a.md', 'x'.repeat(1536)),
    create('/memories/b.md', 'x'.repeat(10)),
    create('/memories/a b.md', ''),
    create('/memories/B.md', 'x'.repeat(2048)),
    create('/memories/.hidden', 'h'),
    create('/memories/node_modules/m.js', 'm'),
    create('/memories/ünï.md', 'x'),
    create('/memories/b-c/x.md', 'x'),
    view('/memories'),
    view('/memories/b'),
    view('/memories/b/c'),
    view('/memories/.hidden'),
    create('/memories/b', 'x'),
    replace('/memories/b', 'x', 'y'),
    insert('/memories/b', 0, 'y'),
  ],
  'view ranges': [
    create('/memories/n.md', numbered),
    ...[[1, 3], [5, -1], [0, 2], [-4, 2], [11, 40], [13, 20], [4, 4], [6, 2], [2], [1, 2, 3]].map((range) =>
      view('/memories/n.md', range),
    ),
  ],
  str_replace: [
    create('/memories/n.md', numbered),
    replace('/memories/n.md', 'line 5', 'LINE 5'),
    replace('/memories/n.md', 'line 12', 'the end'),
    replace('/memories/n.md', 'line 2', 'two\nand a half'),
    replace('/memories/n.md', 'line 3', ''),
    replace('/memories/n.md', 'line', 'row'),
    replace('/memories/n.md', 'absent', 'x'),
    replace('/memories/n.md', 'LINE 5', '$& $1 $$ $`'),
    replace('/memories/none.md', 'a', 'b'),
    view('/memories/n.md'),
  ],
  insert: [
    create('/memories/n.md', 'one\ntwo\nthree\n'),
    insert('/memories/n.md', 0, 'zero'),
    insert('/memories/n.md', 2, 'one and a half\n'),
    insert('/memories/n.md', 5, 'four\nfive\n'),
    insert('/memories/n.md', 8, 'after the end'),
    insert('/memories/n.md', 99, 'x'),
    insert('/memories/n.md', -1, 'x'),
    insert('/memories/none.md', 0, 'x'),
    view('/memories/n.md'),
    create('/memories/empty.md', ''),
    insert('/memories/empty.md', 0, 'first'),
    insert('/memories/empty.md', 1, 'second\n\n'),
    view('/memories/empty.md'),
  ],
  delete: [
    create('/memories/a.md', 'a'),
    create('/memories/d/b.md', 'b'),
    create('/memories/d/e/c.md', 'c'),
    create('/memories/d2/c.md', 'c'),
    remove('/memories/a.md'),
    remove('/memories/a.md'),
    remove('/memories/d'),
    remove('/memories'),
    view('/memories'),
    view('/memories/d'),
  ],
  rename: [
    create('/memories/a.md', 'a'),
    create('/memories/d/b.md', 'b'),
    create('/memories/d/e/c.md', 'c'),
    create('/memories/z.md', 'z'),
    rename('/memories/a.md', '/memories/new/place/a2.md'),
    rename('/memories/d', '/memories/f'),
    rename('/memories/f/b.md', '/memories/z.md'),
    rename('/memories/f', '/memories/new'),
    rename('/memories/none.md', '/memories/other.md'),
    rename('/memories/z.md', '/memories/z.md'),
    rename('/memories', '/memories/x'),
    rename('/memories/z.md', '/memories'),
    view('/memories'),
    view('/memories/f/e/c.md'),
  ],
  'paths that are refused': [
    ...['/etc/passwd', 'memories/a.md', '', '/', '/mem', '/Memories/a.md'].map((path) => view(path)),
    create('/memories/../x.md', 'x'),
    create('/memories/../../x.md', 'x'),
    view('/memories/..'),
    remove('/memories/..'),
    rename('/memories/../a', '/memories/b'),
    view('/memories'),
  ],
  'names of all kinds': [
    ...[
      '/memories/a..b.md',
      '/memories/[...slug].md',
      '/memories/日本 語.md',
      '/memories/%2e%2e',
      '/memories/a{b}.md',
    ].flatMap((path) => [create(path, 'text'), replace(path, 'text', 'changed'), view(path)]),
    view('/memories'),
    view('/memories/./a..b.md'),
  ],
}
