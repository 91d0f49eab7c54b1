import { CheckField } from '../../../components/form/check-field.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { timeZone } from '../../../lib/language.ts';
import { zones } from '../../../lib/zones.ts';
import { notificationsText } from '../messages.ts';
import { rulesText } from './messages.ts';
import type { QuietHours } from './queries.ts';
import styles from './rules.module.css';

const usual: QuietHours = { from: '22:00', to: '07:00', time_zone: timeZone(), except: 'critical' };

interface QuietHoursFieldsProps {
  value: QuietHours | null;
  hint: string;
  onChange(value: QuietHours | null): void;
}

/** Whether there are quiet hours, and when they are. */
export function QuietHoursFields({ value, hint, onChange }: QuietHoursFieldsProps) {
  const { use, from, to, zone, except } = rulesText.quietHours;
  return (
    <>
      <CheckField label={use} hint={hint} checked={value !== null} onChange={(on) => onChange(on ? usual : null)} />
      {value && (
        <div className={styles.quietHours}>
          <TextField
            name="from"
            type="time"
            label={from}
            value={value.from}
            onChange={(next) => onChange({ ...value, from: next })}
          />
          <TextField
            name="to"
            type="time"
            label={to}
            value={value.to}
            onChange={(next) => onChange({ ...value, to: next })}
          />
          <SelectField
            label={zone}
            value={value.time_zone}
            options={zones(value.time_zone)}
            onChange={(next) => onChange({ ...value, time_zone: next })}
          />
          <SelectField
            label={except}
            value={value.except}
            options={notificationsText.severities}
            onChange={(next) => onChange({ ...value, except: next })}
          />
        </div>
      )}
    </>
  );
}
