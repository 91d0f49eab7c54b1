import styles from '../components.module.css';

const shapes = {
  plus: 'M9 3v12M3 9h12',
  close: 'M4 4l10 10M14 4L4 14',
  more: 'M4 9h.01M9 9h.01M14 9h.01',
  out: 'M7 4H4v10h10v-3M10 3h5v5M15 3L8 10',
  down: 'M9 3v9M5 8.5L9 12.5l4-4M3.5 15.5h11',
  search: 'M8 13A5 5 0 108 3a5 5 0 000 10zM12 12l3.5 3.5',
  back: 'M11 4L6 9l5 5',
  user: 'M9 9a3 3 0 100-6 3 3 0 000 6zM3.5 15.5c.8-2.700 2.900-4 5.500-4s4.700 1.300 5.500 4',
};

/** An icon next to a text, or in a labelled button. */
export const Icon = ({ name }: { name: keyof typeof shapes }) => (
  <svg className={styles.icon} width={18} height={18} viewBox="0 0 18 18" aria-hidden="true" focusable="false">
    <path
      d={shapes[name]}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.6 : 1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
);
