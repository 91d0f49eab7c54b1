import type { components } from '../../../api/schema.ts';

type Node = components['schemas']['Node'];

/** Whether tenants can run there. */
export const isEligible = ({ state, availability, storage }: Node): boolean =>
  state === 'ready' && availability === 'active' && storage === 'ok';

/** The memory that a node's tenants reserve, and what is not reserved on the others that can run them, in total; in bytes. */
export function roomFor(node: Node, nodes: readonly Node[]): { needed: number; free: number } {
  const others = nodes.filter((other) => other.id !== node.id && isEligible(other));
  const free = others.reduce((sum, other) => sum + Math.max(0, other.memory_bytes - other.reserved_bytes), 0);
  return { needed: node.tenants_reserved_bytes, free };
}
