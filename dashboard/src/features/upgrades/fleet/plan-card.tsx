import { useMutation } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { ApiError } from '../../../api/api-error.ts';
import { queryClient } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { Progress } from '../../../components/data/progress.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { apiText } from '../../../lib/api-text.ts';
import { number } from '../../../lib/figures.ts';
import { upgradesText } from './messages.ts';
import { type FleetPlan, type NewFleet, startFleet } from './queries.ts';
import styles from './upgrades.module.css';
import { useNames } from './use-names.ts';

interface PlanCardProps {
  plan: FleetPlan | undefined;
  error: unknown;
  fetching: boolean;
  body: NewFleet;
  /** Whether the user just requested it; then it gets the focus when it appears. */
  asked: RefObject<boolean>;
}

const words = upgradesText.plan;

/** The planned rings, the tenants left out with the reasons, and the start button. */
export function PlanCard({ plan, error, fetching, body, asked }: PlanCardProps) {
  const navigate = useNavigate();
  const title = useRef<HTMLHeadingElement>(null);
  const begin = useMutation({
    mutationFn: () => startFleet(body),
    onSuccess(id) {
      void queryClient.invalidateQueries({ queryKey: ['fleets'] });
      void navigate(`/upgrades/${id}`);
    },
  });
  const here = !fetching && (plan !== undefined || Boolean(error));
  useEffect(() => {
    if (!here || !asked.current) return;
    asked.current = false;
    title.current?.focus();
  }, [here, asked]);
  const count = plan?.rings.reduce((sum, { tenants }) => sum + tenants.length, 0) ?? 0;
  return (
    <section className={parts.card} aria-label={words.title}>
      <h2 ref={title} tabIndex={-1} className={styles.planTitle}>
        {words.title}
      </h2>
      {fetching && (
        <>
          <Progress label={words.reading} />
          <p className={styles.fine} role="status">
            {words.reading}
          </p>
        </>
      )}
      {!fetching && error !== null && <Refusal error={error} />}
      {!fetching && !error && plan && (
        <>
          <p className={styles.fine}>{words.hint}</p>
          {count > 0 ? (
            <ol className={styles.plan}>
              {plan.rings.map(({ ring, tenants }) => (
                <li key={ring}>
                  <h3>{words.ring(ring, tenants.length)}</h3>
                  <Places places={tenants} />
                </li>
              ))}
            </ol>
          ) : (
            <div className={styles.noTenants}>
              <strong>{words.noTenants}</strong>
              <span>{words.noTenantsHint}</span>
            </div>
          )}
          <Skipped skipped={plan.skipped} />
          <ErrorNote error={begin.error} />
          {count > 0 && (
            <div className={styles.begin}>
              <Button variant="primary" disabled={begin.isPending} onClick={() => begin.mutate()}>
                {upgradesText.form.begin(count, plan.target_version)}
              </Button>
              <span className={styles.fine}>{upgradesText.form.change}</span>
            </div>
          )}
        </>
      )}
    </section>
  );
}

/** Field errors are shown only next to their field. */
function Refusal({ error }: { error: unknown }) {
  const isFieldError = error instanceof ApiError && (error.issues.length > 0 || error.code === 'not_found');
  return isFieldError ? <p className={parts.wrong}>{words.refused}</p> : <ErrorNote error={error} />;
}

type Place = FleetPlan['rings'][number]['tenants'][number];
/** Number of a ring's tenants shown by default. */
const maxShown = 8;

function Places({ places }: { places: readonly Place[] }) {
  const rest = places.slice(maxShown);
  return (
    <>
      <PlaceList places={places.slice(0, maxShown)} />
      {rest.length > 0 && (
        <details className={styles.rest}>
          <summary>{upgradesText.form.more(rest.length)}</summary>
          <PlaceList places={rest} />
        </details>
      )}
    </>
  );
}

function PlaceList({ places }: { places: readonly Place[] }) {
  const names = useNames();
  return (
    <ul className={styles.places}>
      {places.map(({ tenant_id, slug, from_version }) => (
        <li key={tenant_id}>
          <Link to={`/tenants/${tenant_id}`}>{names.get(tenant_id) ?? slug}</Link>
          {from_version && <span className={styles.fine}>{upgradesText.one.from(from_version)}</span>}
        </li>
      ))}
    </ul>
  );
}

/** The left-out tenants, by reason. */
function Skipped({ skipped }: { skipped: FleetPlan['skipped'] }) {
  if (skipped.length === 0) return null;
  const byReason = Map.groupBy(skipped, ({ reason }) => reason);
  return (
    <div className={styles.skipped}>
      <h3>{words.skipped(skipped.length)}</h3>
      {[...byReason].map(([reason, places]) => (
        <details key={reason} className={styles.rest} open={places.length <= maxShown}>
          <summary>
            {apiText(upgradesText.reasons, reason)} ({number(places.length)})
          </summary>
          <PlaceList places={places} />
        </details>
      ))}
    </div>
  );
}
