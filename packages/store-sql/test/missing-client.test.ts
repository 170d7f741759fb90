import { expect, test, vi } from 'vitest'
import { mysqlStore } from '../src/mysql-store.ts'
import { postgresStore } from '../src/postgres-store.ts'

const missing = vi.hoisted(() => () => {
  throw new Error('Cannot find package')
})
vi.mock('pg', missing)
vi.mock('mysql2', missing)

test.each([
  ['pg', () => postgresStore({ url: 'postgres://127.0.0.1:1/d' })],
  ['mysql2', () => mysqlStore({ url: 'mysql://127.0.0.1:1/d' })],
])('without %s the first use says what to install', async (name, open) => {
  await using store = open()
  for (const call of [() => store.load([]), () => store.provision()]) {
    await expect(call()).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(`pnpm add ${name}`),
    })
  }
})
