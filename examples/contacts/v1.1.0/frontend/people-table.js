import { html } from 'hono/html';

const COLUMNS = [
  { title: 'Name', cell: (person) => html`<strong>${person.last_name}</strong>, ${person.first_name}` },
  { title: 'City', cell: (person) => [person.city, person.state].filter(Boolean).join(', ') },
  { title: 'E-mail', cell: (person) => person.email },
  { title: 'Phone', cell: (person) => person.cell_phone ?? person.home_phone },
  { title: 'Precinct', cell: (person) => person.precinct },
  { title: 'Last contacted', cell: (person) => person.last_contacted_at?.slice(0, 10) },
  { title: 'Tags', cell: (person) => person.tags.map((tag) => html`<span class="tag">${tag}</span> `) },
];

/** @param {import('../shared/persons/fields.js').Person[]} persons */
export const peopleTable = (persons) => html`
  <table>
    <thead>
      <tr>${COLUMNS.map((column) => html`<th scope="col">${column.title}</th>`)}</tr>
    </thead>
    <tbody>
      ${persons.map((person) => html`<tr>${COLUMNS.map((column) => html`<td>${column.cell(person) ?? ''}</td>`)}</tr>`)}
    </tbody>
  </table>`;
