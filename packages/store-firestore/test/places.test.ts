import { Firestore } from '@google-cloud/firestore'
import { expect, test } from 'vitest'
import { documentId, placesIn } from '../src/places.ts'

const places = placesIn(new Firestore({ projectId: 'my-project' }), 'memory')

// echo -n "" | openssl dgst -sha256 -binary | basenc --base64url
const EMPTY = '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'
// echo -n "abc" | openssl dgst -sha256 -binary | basenc --base64url
const ABC = 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0'

test('documents are named after the SHA-256 of what they stand for', () => {
  expect(documentId('')).toBe(EMPTY)
  expect(documentId('abc')).toBe(ABC)
  expect(documentId(new TextEncoder().encode('abc'))).toBe(ABC)
})

test('a row lies under its entity, and its chunks under the row', () => {
  expect(places.entities.path).toBe('memory')
  expect(places.entity('abc').path).toBe(`memory/${ABC}`)
  const row = places.row({ entity: 'abc', key: '' })
  expect(row.path).toBe(`memory/${ABC}/keepsake_rows/${EMPTY}`)
  expect(places.chunk(row, 'x-1').path).toBe(`${row.path}/keepsake_chunks/x-1`)
})

test('rows of two entities in turn lie in two places', () => {
  const paths = ['', 'abc', '', 'abc'].map((entity) => places.row({ entity, key: '' }).parent.path)
  expect(paths).toEqual([EMPTY, ABC, EMPTY, ABC].map((id) => `memory/${id}/keepsake_rows`))
})
