import { encodeTuple } from '@keepsake/core'
import { expect, test } from 'vitest'
import { ENTITY_SHARDS, entityKeys, entityOfKey, lexBounds, shardKey, shardOf } from '../src/keys.ts'

test('an entity has three keys with one hash tag', () => {
  expect(entityKeys('app', 'ann')).toEqual(['app:{e:ann}:r', 'app:{e:ann}:s', 'app:{e:ann}:k'])
})

test('the empty entity has a tag that is not empty', () => {
  expect(entityKeys('app', '')[0]).toBe('app:{e:}:r')
})

test('braces of an entity do not end the tag', () => {
  expect(entityKeys('app', 'a}b{c%7d')[2]).toBe('app:{e:a%7db%7bc%257d}:k')
})

test.each(['', 'ann', '}', '{}', '%', '%7d', '%257b', 'a}:k', '}:r', 'é\u{1F600}', encodeTuple(['a', 'b:c'])])(
  'the key of %j leads back to it',
  (entity) => {
    for (const key of entityKeys('p', entity)) expect(entityOfKey('p', key)).toBe(entity)
  },
)

test.each([
  ['another prefix', entityKeys('p:x', 'ann')[2]],
  ['a longer prefix', entityKeys('pp', 'ann')[2]],
  ['a list of entities', shardKey('p', 3)],
  ['another kind', 'p:{e:ann}:x'],
  ['somebody else’s key', 'p:sessions'],
])('the key of %s belongs to no entity', (_what, key) => {
  expect(entityOfKey('p', key)).toBeUndefined()
})

test('a thousand entities are spread over all shards, always the same', () => {
  const shards = Array.from({ length: 1000 }, (_, i) => shardOf(`entity ${i}`))
  const sizes = Array.from({ length: ENTITY_SHARDS }, (_, shard) => shards.filter((at) => at === shard).length)
  expect(Math.min(...sizes)).toBeGreaterThan(30)
  // FNV-1a of "a" is e40c292c in hexadecimal (http://www.isthe.com/chongo/tech/comp/fnv/): 12 of 16.
  expect(shardOf('a')).toBe(12)
})

test.each([
  [{}, ['[', '+']],
  [{ prefix: 'a' }, ['[a', '(b']],
  [{ after: 'k' }, ['(k', '+']],
  [{ after: '' }, ['(', '+']],
  [{ prefix: 'b', after: 'a' }, ['[b', '(c']],
  [{ prefix: 'b', after: 'b' }, ['(b', '(c']],
  [{ prefix: 'b', after: 'bx' }, ['(bx', '(c']],
  [{ prefix: 'b', after: 'z' }, ['(z', '(c']],
  [{ prefix: '\u{10FFFF}' }, ['[\u{10FFFF}', '+']],
  // U+FF5E is after U+1F600 in UTF-16, and before it in UTF-8.
  [{ prefix: '\u{1F600}', after: '\uFF5E' }, ['[\u{1F600}', '(\u{1F601}']],
])('the bounds of %j', (range, bounds) => {
  expect(lexBounds(range)).toEqual(bounds)
})
