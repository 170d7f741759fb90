import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { answersGrpc } from '../src/answers-grpc.ts'
import { anyFreePort, freePorts, listens } from '../src/ports.ts'

async function listening(port = 0): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}).end('not gRPC\r\n')).listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

test('a port is free until somebody listens', async () => {
  const port = await anyFreePort()
  expect(await listens(port)).toBe(false)
  await listening(port)
  expect(await listens(port)).toBe(true)
})

test('ports in a row skip those that are taken', async () => {
  const taken = portOf(await listening())
  const first = await freePorts(taken, 3)
  expect(first).toBeGreaterThan(taken)
  expect((first - taken) % 3).toBe(0)
  for (const port of [first, first + 1, first + 2]) expect(await listens(port)).toBe(false)
})

test('who speaks something else is no gRPC service, and nobody is none either', async () => {
  expect(await answersGrpc(portOf(await listening()), '/a.B/C')).toBe(false)
  expect(await answersGrpc(await anyFreePort(), '/a.B/C')).toBe(false)
})
