import { type Records } from '../../src/index.ts'
import { any, HALF, type Hostile } from './hostile.ts'

const badKeys = [
  ['a text', 'k', " must be a list of strings, such as ['memories', 'food']; it is a string."],
  ['undefined', undefined, ' must be a list of strings'],
  ['a tuple with a number', ['a', 1], '[1] must be a string; it is a number.'],
  ['a tuple with null', [null], '[0] must be a string; it is null.'],
  ['a tuple with half of an emoji', ['a', HALF], '[1] holds half of a surrogate pair'],
  ['2,000 bytes', ['x'.repeat(2000)], ', as stored, has 2003 bytes in UTF-8; at most 1024 are allowed.'],
  ['600 characters that are escaped', ['\u0001'.repeat(600)], ', as stored, has 1203 bytes'],
] as const
const keyCalls: readonly (readonly [string, (notes: Records<unknown>, key: never) => unknown])[] = [
  ['get', (notes, key) => notes.get(key)],
  ['put', (notes, key) => notes.put(key, 1)],
  ['put with a condition', (notes, key) => notes.put(key, 1, { ifVersion: null })],
  ['update', (notes, key) => notes.update(key, () => 1)],
  ['delete', (notes, key) => notes.delete(key)],
]
export const keys: Hostile[] = [
  ...[...badKeys, ['an empty tuple', [], ' is empty; a record needs at least one segment.'] as const].flatMap(
    ([what, key, message]) =>
      keyCalls.map(([name, call]): Hostile => [
        `${name}: a key that is ${what}`,
        ({ notes }) => call(notes, any(key)),
        'invalid_key',
        `key${message}`,
      ]),
  ),
  ...badKeys.flatMap(([what, key, message]): Hostile[] => [
    [
      `getMany: one key is ${what}`,
      ({ notes }) => notes.getMany([['k'], any(key)]),
      'invalid_key',
      `keys[1]${message}`,
    ],
    [
      `putMany: one key is ${what}`,
      ({ notes }) =>
        notes.putMany([
          { key: ['k'], value: 2 },
          { key: any(key), value: 2 },
        ]),
      'invalid_key',
      `entries[1].key${message}`,
    ],
    [`list: a prefix that is ${what}`, ({ notes }) => notes.list(any(key)), 'invalid_key', `prefix${message}`],
    [`search: a prefix that is ${what}`, ({ notes }) => notes.search(any(key), 'x'), 'invalid_key', `prefix${message}`],
    [`prefixes: a prefix that is ${what}`, ({ notes }) => notes.prefixes(any(key)), 'invalid_key', `prefix${message}`],
    [
      `deleteAll: a prefix that is ${what}`,
      ({ notes }) => notes.deleteAll(any(key)),
      'invalid_key',
      `prefix${message}`,
    ],
  ]),
  [
    'getMany of no list',
    ({ notes }) => notes.getMany(any('k')),
    'invalid_key',
    'keys must be a list of keys; it is a string.',
  ],
]
