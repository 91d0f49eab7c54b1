import { useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import { sizeText } from '../../../components/data/size.ts';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { nodesText as words } from './messages.ts';
import styles from './nodes.module.css';
import { type Node, nodesQuery } from './queries.ts';
import { isEligible, roomFor } from './room.ts';

/** Drains a node, or activates it again; asks first, and names the tenants that move. */
export function NodeAction({ node, nodes }: { node: Node; nodes: readonly Node[] }) {
  const [asking, setAsking] = useState(false);
  const drains = node.availability === 'active';
  const close = (): void => setAsking(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>{drains ? words.drain : words.activate}</Button>
      {asking && drains && <DrainDialog node={node} nodes={nodes} onClose={close} />}
      {asking && !drains && (
        <Confirm
          title={words.activateTitle(node.hostname)}
          hint={words.activateHint}
          submit={words.activate}
          act={() => dataOf(api.POST('/api/system/nodes/{id}/activate', { params: { path: { id: node.id } } }))}
          onDone={() => changed(words.activated(node.hostname))}
          onClose={close}
        />
      )}
    </>
  );
}

function DrainDialog({ node, nodes, onClose }: { node: Node; nodes: readonly Node[]; onClose(): void }) {
  const [force, setForce] = useState(false);
  const { id, hostname, tenants } = node;
  const isLast = tenants.length > 0 && !nodes.some((other) => other.id !== id && isEligible(other));
  return (
    <Confirm
      title={words.drainTitle(hostname)}
      hint={isLast ? words.lastHint(tenants.length) : words.drainHint(tenants.length)}
      submit={words.drain}
      bad={isLast}
      ready={!isLast || force}
      act={() => dataOf(api.POST('/api/system/nodes/{id}/drain', { params: { path: { id } }, body: { force } }))}
      onDone={() => changed(words.drainStarted(hostname))}
      onClose={onClose}
    >
      {tenants.length > 0 && (
        <ul className={styles.tenants}>
          {tenants.map((slug) => (
            <li key={slug}>{slug}</li>
          ))}
        </ul>
      )}
      {tenants.length > 0 && !isLast && <Room node={node} nodes={nodes} />}
      {isLast && <CheckField label={words.force} checked={force} onChange={setForce} />}
    </Confirm>
  );
}

/** Whether the other nodes have memory for the tenants of this one. */
function Room({ node, nodes }: { node: Node; nodes: readonly Node[] }) {
  const { needed, free } = roomFor(node, nodes);
  const sizes = [sizeText(needed), sizeText(free)] as const;
  return needed <= free ? <p>{words.room(...sizes)}</p> : <Note tone="warn" title={words.noRoom(...sizes)} />;
}

function changed(message: string): void {
  notify(message);
  void queryClient.invalidateQueries({ queryKey: nodesQuery.queryKey });
}
