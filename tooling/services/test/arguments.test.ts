import { expect, test } from 'vitest'
import { parseArguments } from '../src/arguments.ts'

const known = ['redis', 'postgres']

test.each([
  [['start'], { command: 'start', names: known, install: false }],
  [['stop', 'redis'], { command: 'stop', names: ['redis'], install: false }],
  [['start', '--install', 'postgres', 'redis'], { command: 'start', names: ['postgres', 'redis'], install: true }],
])('%j', (args, expected) => {
  expect(parseArguments(args, known)).toEqual(expected)
})

test.each([
  [[], /Give a command: start, stop, status, env/],
  [['restart'], /Give a command/],
  [['start', 'oracle'], /no service oracle. Known: redis, postgres/],
  [['start', '--force'], /--force/],
])('%j is refused', (args, message) => {
  expect(() => parseArguments(args, known)).toThrow(message)
})
