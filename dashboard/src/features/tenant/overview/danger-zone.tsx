import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { FullTenant } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { Button } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { DeleteTenant } from '../../tenants/delete-tenant.tsx';
import { controlConfirmation, mayControl } from '../../tenants/tenant-actions.ts';
import { overviewText } from './messages.ts';
import styles from './overview.module.css';

const words = overviewText.danger;

/** What takes the site down, at the end of the page. */
export function DangerZone({ tenant }: { tenant: FullTenant }) {
  const operator = useHasRole('operator');
  const admin = useHasRole('admin');
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const mayStop = operator && mayControl('stop', tenant);
  if (!mayStop && !admin) return null;
  return (
    <section className={`${parts.card} ${styles.danger}`} aria-labelledby="danger-zone">
      <h2 id="danger-zone">{words.title}</h2>
      <ul>
        {mayStop && (
          <li>
            <div>
              <strong>{words.stop}</strong>
              <p>{words.stopHint}</p>
            </div>
            <Button onClick={() => controlConfirmation('stop', tenant)}>{words.stopNow}</Button>
          </li>
        )}
        {admin && (
          <li>
            <div>
              <strong>{words.remove}</strong>
              <p>{words.removeHint}</p>
            </div>
            <Button variant="danger" onClick={() => setDeleting(true)}>
              {words.removeNow}
            </Button>
          </li>
        )}
      </ul>
      {deleting && (
        <DeleteTenant tenant={tenant} onClose={() => setDeleting(false)} onDeleted={() => void navigate('/tenants')} />
      )}
    </section>
  );
}
