import { breaksMethod, breaksRule, type BrokenStore } from './broken-store.ts'
import { right } from './ruled-store.ts'

const filedAs = (change: (text: string) => string) => ({
  file: (entity: string, key: string) => right.file(change(entity), change(key)),
})

export const brokenNames: readonly BrokenStore[] = [
  breaksRule(
    'folds case',
    'keys "Ann" and "ann" are two rows',
    filedAs((text) => text.toLowerCase()),
  ),
  breaksRule(
    'trims trailing spaces',
    'keys "a" and "a " are two rows',
    filedAs((text) => text.trimEnd()),
  ),
  breaksRule(
    'trims leading spaces',
    'keys "a" and " a" are two rows',
    filedAs((text) => text.trimStart()),
  ),
  breaksRule(
    'normalises Unicode',
    'keys "\\u{E9}" and "e\\u{301}" are two rows',
    filedAs((text) => text.normalize('NFC')),
  ),
  breaksRule(
    'ignores accents',
    'keys "a" and "\\u{E1}" are two rows',
    filedAs((text) => text.normalize('NFD').replace(/\p{Mn}/gu, '')),
  ),
  breaksRule(
    'takes all characters beyond U+FFFF for one',
    'keys "\\u{1F600}" and "\\u{1F601}" are two rows',
    filedAs((text) => text.replace(/[\u{10000}-\u{10FFFF}]/gu, '?')),
  ),
  breaksRule(
    'cuts names at 255 characters',
    'keys of the greatest length that differ in their last byte are two rows',
    filedAs((text) => text.slice(0, 255)),
  ),
  breaksRule(
    'joins entity and key with a colon',
    'entity and key are not joined: moving a character from one to the other is another row',
    { file: (entity, key) => `${entity}:${key}` },
  ),
  breaksMethod('keeps rows in plain objects', 'key "__proto__" works in every call', (store) => ({
    write: (rows, options) =>
      store.write(
        rows.map((row) => (row.key === '__proto__' ? { ...row, key: 'Object.prototype' } : row)),
        options,
      ),
  })),
  breaksRule('takes the empty key for no key', 'key "" works in every call', {
    hasPrefix: (text, prefix) => text !== '' && text.startsWith(prefix),
  }),
]
