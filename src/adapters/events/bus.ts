import { EventEmitter } from 'node:events';
import type { Logger } from '../../lib/logger.ts';
import type { DomainEvent } from './messages.ts';

type EventOf<Type extends DomainEvent['type']> = Extract<DomainEvent, { type: Type }>;

/** Events between features: they publish what happened, others listen; a listener's failure never reaches the publisher. */
export interface EventBus {
  publish(event: DomainEvent): void;
  on<Type extends DomainEvent['type']>(type: Type, listener: (event: EventOf<Type>) => void): () => void;
  onAny(listener: (event: DomainEvent) => void): () => void;
}

export function createEventBus(logger: Logger): EventBus {
  const emitter = new EventEmitter().setMaxListeners(0);
  const anyEvent = Symbol('any');
  const listen = (name: string | symbol, listener: (event: never) => void): (() => void) => {
    const guarded = (event: DomainEvent): void => {
      try {
        listener(event as never);
      } catch (error) {
        logger.error({ err: error, event: name.toString() }, 'event listener failed');
      }
    };
    emitter.on(name, guarded);
    return () => emitter.off(name, guarded);
  };
  return {
    publish(event) {
      emitter.emit(event.type, event);
      emitter.emit(anyEvent, event);
    },
    on: (type, listener) => listen(type, listener),
    onAny: (listener) => listen(anyEvent, listener),
  };
}
