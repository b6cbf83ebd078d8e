/** Small values outside the URL that components can subscribe to. */
import { useSyncExternalStore } from 'react';

export interface Watched<Value> {
  get(): Value;
  set(value: Value): void;
  subscribe(listener: () => void): () => void;
}

export function watched<Value>(initial: Value): Watched<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useWatched<Value>({ get, subscribe }: Watched<Value>): Value {
  return useSyncExternalStore(subscribe, get);
}
