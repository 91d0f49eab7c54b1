import type { ButtonHTMLAttributes } from 'react';
import { Link, type LinkProps } from 'react-router';
import styles from '../components.module.css';

type Look = 'plain' | 'primary' | 'danger' | 'quiet';
const classOf = (look: Look): string => `${styles.button} ${look === 'plain' ? '' : styles[look]}`;

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { look?: Look };

export const Button = ({ look = 'plain', type = 'button', ...rest }: ButtonProps) => (
  <button {...rest} type={type} className={classOf(look)} />
);

export const ButtonLink = ({ look = 'plain', ...rest }: LinkProps & { look?: Look }) => (
  <Link {...rest} className={classOf(look)} />
);

/** A link out of the dashboard, in a tab of its own. */
export const OutLink = ({
  look = 'plain',
  href,
  children,
}: {
  look?: Look;
  href: string;
  children: React.ReactNode;
}) => (
  <a className={classOf(look)} href={href} target="_blank" rel="noreferrer">
    {children}
  </a>
);
