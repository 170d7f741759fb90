import { describe, expect, test } from 'vitest'
import { planMigrations, type SqlMigration } from '../src/migrations.ts'

const migrations: SqlMigration[] = [
  { version: 1, name: 'first', up: ['up 1a', 'up 1b'], down: ['down 1a', 'down 1b'] },
  { version: 2, name: 'second', up: ['up 2'], down: ['down 2'] },
  { version: 3, name: 'third', up: ['up 3'], down: ['down 3'] },
]

describe('planMigrations', () => {
  test.each([
    ['everything on nothing', 0, {}, ['up 1a', 'up 1b', 'up 2', 'up 3']],
    ['what is missing', 2, {}, ['up 3']],
    ['nothing when it is up to date', 3, {}, []],
    ['up to a version', 0, { to: 2 }, ['up 1a', 'up 1b', 'up 2']],
    ['nothing to where it is', 2, { to: 2 }, []],
    ['down to nothing, newest first', 3, { down: true }, ['down 3', 'down 2', 'down 1a', 'down 1b']],
    ['down to a version', 3, { down: true, to: 2 }, ['down 3']],
    ['nothing down from nothing', 0, { down: true }, []],
    ['nothing down to where it is', 1, { down: true, to: 1 }, []],
  ])('%s', (_, current, options, expected) => {
    expect(planMigrations(migrations, current, options)).toEqual(expected)
  })

  test.each([
    ['a version that does not exist', 0, { to: 4 }, 'from 0 to 3'],
    ['a negative version', 0, { to: -1 }, 'from 0 to 3'],
    ['half a version', 0, { to: 1.5 }, 'from 0 to 3'],
    ['no number', 0, { to: '1' as never }, 'from 0 to 3'],
    ['back without saying so', 3, { to: 1 }, 'needs down: true'],
    ['down to a version above', 1, { down: true, to: 2 }, 'leave out down'],
  ])('refuses %s', (_, current, options, text) => {
    expect(() => planMigrations(migrations, current, options)).toThrow(
      expect.objectContaining({ code: 'invalid_value', message: expect.stringContaining(text) }),
    )
  })
})
