import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { Emit } from './stream-part.ts'

/**
 * Sends on what a model streams of its texts, its reasoning and the inputs of its calls. Whatever the model does, every
 * delta lies between a start and an end: readers such as ai's UI throw for one that does not.
 */
export interface PartForwarder {
  send(part: LanguageModelV4StreamPart): void
  /** Ends the texts that are open: the model is done, or failed. */
  close(): void
}

type Kind = 'text' | 'reasoning'

export function partForwarder(emit: Emit): PartForwarder {
  const blocks = new Map<string, { kind: Kind; id: string }>()
  const inputs = new Set<string>()

  function start(kind: Kind, id: string, metadata: Metadata): void {
    if (blocks.has(`${kind} ${id}`)) return
    blocks.set(`${kind} ${id}`, { kind, id })
    emit({ type: `${kind}-start`, id, ...metadata })
  }
  function end(kind: Kind, id: string, metadata: Metadata): void {
    if (blocks.delete(`${kind} ${id}`)) emit({ type: `${kind}-end`, id, ...metadata })
  }

  return {
    send(part) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          return start(kindOf(part.type), part.id, metadataOf(part))
        case 'text-delta':
        case 'reasoning-delta':
          start(kindOf(part.type), part.id, {})
          return emit({ type: part.type, id: part.id, text: part.delta, ...metadataOf(part) })
        case 'text-end':
        case 'reasoning-end':
          return end(kindOf(part.type), part.id, metadataOf(part))
        case 'tool-input-start': {
          if (inputs.has(part.id)) return
          inputs.add(part.id)
          const executed = part.providerExecuted === true ? { providerExecuted: true } : {}
          const { id, toolName } = part
          return emit({ type: 'tool-input-start', id, toolName, dynamic: true, ...executed, ...metadataOf(part) })
        }
        case 'tool-input-delta':
          if (inputs.has(part.id))
            emit({ type: 'tool-input-delta', id: part.id, delta: part.delta, ...metadataOf(part) })
          return
        case 'tool-input-end':
          if (inputs.delete(part.id)) emit({ type: 'tool-input-end', id: part.id, ...metadataOf(part) })
          return
        default:
      }
    },
    close() {
      for (const { kind, id } of blocks.values()) end(kind, id, {})
    },
  }
}

interface Metadata {
  providerMetadata?: SharedV4ProviderMetadata
}

function metadataOf(part: { providerMetadata?: SharedV4ProviderMetadata | undefined }): Metadata {
  return part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata }
}

function kindOf(type: string): Kind {
  return type.startsWith('text') ? 'text' : 'reasoning'
}
