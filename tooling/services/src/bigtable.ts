import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { bigtablePackages, startBigtable } from '../bigtable/start-bigtable.ts'
import { answersGrpc } from './answers-grpc.ts'
import { findProgram } from './programs.ts'
import type { Service } from './service.ts'

export const bigtable: Service = {
  name: 'bigtable',
  variable: 'BIGTABLE_EMULATOR_HOST',
  port: 8086,
  ports: 1,
  packages: bigtablePackages,
  address: (port) => `127.0.0.1:${port}`,
  isInstalled: () => hasEmulator() || hasTestServer(),

  async identify(port) {
    const method = '/google.bigtable.admin.v2.BigtableTableAdmin/ListTables'
    return (await answersGrpc(port, method)) ? 'Bigtable emulator' : undefined
  },

  async start(place) {
    const server = await startBigtable(place)
    return {
      engine: server.engine === 'cbtemulator' ? "Google's emulator" : "Google's bttest",
      stop: () => server.stop(),
    }
  },
}

function hasEmulator(): boolean {
  const gcloud = findProgram('gcloud')
  return gcloud !== undefined && existsSync(join(realpathSync(gcloud), '../../platform/bigtable-emulator/cbtemulator'))
}

function hasTestServer(): boolean {
  return findProgram('go') !== undefined && existsSync('/usr/share/gocode/src/cloud.google.com/go/bigtable/bttest')
}
