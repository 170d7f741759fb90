import type { Firestore } from '@google-cloud/firestore'
import { KeepsakeError } from '@keepsake/core'
import { isMissingModule } from './firestore-errors.ts'
import type { FirestoreSettings } from './options.ts'

/**
 * Beneath the client each read that fails is repeated for some 7 seconds, whatever the failure, and one that finds no
 * server for minutes. The client itself repeats those that it should, five times in some 8 seconds, which is enough.
 */
const READ_SETTINGS = {
  gaxServerStreamingRetries: true,
  clientConfig: {
    interfaces: {
      'google.firestore.v1.Firestore': {
        retry_codes: { none: [] },
        methods: {
          BatchGetDocuments: { retry_codes_name: 'none' },
          RunQuery: { retry_codes_name: 'none' },
        },
      },
    },
  },
}

/** The client of the settings. Google's is heavy, so it is imported no earlier than this. */
export async function connect({ source }: FirestoreSettings): Promise<Firestore> {
  if ('client' in source) return source.client
  const google = await importClient()
  // Emulators let everybody in. To the client an empty variable is none.
  if (!process.env['FIRESTORE_EMULATOR_HOST']) await checkCredentials(new google.v1.FirestoreClient())
  return new google.Firestore({ projectId: source.project, databaseId: source.database, ...READ_SETTINGS })
}

async function importClient(): Promise<typeof import('@google-cloud/firestore')> {
  try {
    // A CommonJS module: some of what it exports is only in the default one.
    return (await import('@google-cloud/firestore')).default
  } catch (error) {
    if (!isMissingModule(error)) throw error
    throw new KeepsakeError(
      'unsupported',
      'The Firestore store needs the package @google-cloud/firestore, which is not installed: pnpm add @google-cloud/firestore',
      { cause: error, details: { package: '@google-cloud/firestore' } },
    )
  }
}

/**
 * Without credentials the client does not reject its requests: it ends the process, by a rejection that nobody can
 * handle. So they are asked for first, of the client beneath it.
 */
async function checkCredentials({ auth }: { auth: { getClient(): Promise<unknown> } }): Promise<void> {
  try {
    await auth.getClient()
  } catch (error) {
    throw new KeepsakeError(
      'unavailable',
      'There are no Google credentials here, or they cannot be used. Set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`.',
      { cause: error },
    )
  }
}
