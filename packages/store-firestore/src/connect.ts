import type { Firestore } from '@google-cloud/firestore'
import { KeepsakeError } from '@keepsake/core'
import { isMissingModule } from './firestore-errors.ts'
import type { FirestoreSettings } from './options.ts'

/** The client of the settings. Google's is heavy, so it is imported no earlier than this. */
export async function connect({ source }: FirestoreSettings): Promise<Firestore> {
  if ('client' in source) return source.client
  const { Firestore: Client } = await importClient()
  return new Client({ projectId: source.project, databaseId: source.database })
}

async function importClient(): Promise<typeof import('@google-cloud/firestore')> {
  try {
    return await import('@google-cloud/firestore')
  } catch (error) {
    if (!isMissingModule(error)) throw error
    throw new KeepsakeError(
      'unsupported',
      'The Firestore store needs the package @google-cloud/firestore, which is not installed: pnpm add @google-cloud/firestore',
      { cause: error, details: { package: '@google-cloud/firestore' } },
    )
  }
}
