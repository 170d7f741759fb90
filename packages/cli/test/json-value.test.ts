import { expect, it } from 'vitest'
import { toJsonValue } from '../src/json-value.ts'

it('writes bytes as base64, and marks data that looks so', () => {
  const value = {
    bytes: new Uint8Array([0, 255, 16]),
    list: [new Uint8Array(), null, 'x', 1.5, true],
    $bytes: 'a user may say so',
    $$bytes: { $bytes: 'AA==' },
    bytes$: 1,
    ['__proto__']: 'an ordinary name',
  }
  expect(JSON.stringify(toJsonValue(value))).toBe(
    '{"bytes":{"$bytes":"AP8Q"},"list":[{"$bytes":""},null,"x",1.5,true],"$$bytes":"a user may say so","$$$bytes":{"$$bytes":"AA=="},"bytes$":1,"__proto__":"an ordinary name"}',
  )
})

it('writes the part of a larger buffer that a view shows', () => {
  expect(toJsonValue(new Uint8Array([9, 1, 2, 9]).subarray(1, 3))).toEqual({ $bytes: 'AQI=' })
})
