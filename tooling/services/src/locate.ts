import { findHeld } from './held-service.ts'
import type { Service } from './service.ts'

/** A service that can be used, and why: it was started from here, found on its port, or is set in the environment. */
export interface LocatedService {
  how: 'started' | 'found' | 'set'
  address: string
  engine: string
}

export async function locate(service: Service): Promise<LocatedService | undefined> {
  const set = process.env[service.variable]
  if (set) return { how: 'set', address: set, engine: `by ${service.variable}` }
  const held = await findHeld(service)
  if (held !== undefined) return { how: 'started', address: service.address(held.port), engine: held.engine }
  const engine = await service.identify(service.port)
  return engine === undefined ? undefined : { how: 'found', address: service.address(service.port), engine }
}
