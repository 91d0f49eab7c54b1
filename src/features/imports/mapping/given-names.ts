/**
 * Common given names in the United States (Social Security's lists of the last hundred years, Spanish ones among them). They
 * serve to tell a column of given names from one of family names where a list has no headers; no person is judged by them.
 */
const names = new Set(
  `aaron abigail adam adrian aiden alan albert alejandra alejandro alex alexander alexandra alexis alice alicia alison allen
  alyssa amanda amber amy ana andrea andres andrew angel angela anita ann anna anne annie anthony antonio april ariana arthur ashley
  austin ava barbara beatriz benjamin bernard beth betty beverly bill billy bob bobby bonnie brad bradley brandon brenda brian
  brittany bruce bryan caleb cameron carl carla carlos carmen carol caroline carolyn carrie catherine cecilia chad charles
  charlotte chelsea cheryl chris christian christina christine christopher cindy claire clara clarence connie courtney craig
  cristina crystal curtis cynthia dale dan dana daniel daniela danielle danny darlene darren david dawn deborah debra denise dennis
  derek deshawn diana diane diego dolores donald donna dorothy douglas dustin dylan earl eddie edgar eduardo edward edwin eileen
  elaine elena elijah elizabeth ellen emily emma enrique eric erica erik erin ernest esther ethan eugene eva evan evelyn everett
  fernando florence frances francis francisco frank fred gabriel gabriela gail gary george gerald gina gladys glenn gloria grace
  greg gregory guadalupe guillermo hannah harold harry heather hector heidi helen henry howard hugo ian irene isaac isabel isabella
  ivan jack jackie jacob jacqueline jaime jake james jamie jan jane janet janice jared jasmine jason javier jay jean jeff jeffery
  jeffrey jennifer jenny jeremy jerry jesse jessica jesus jill jim jimmy joan joann joanne joaquin joe joel john johnny jon jonathan
  jordan jorge jose joseph josephine joshua josiah joyce juan juana juanita judith judy julia julian julie julio justin karen karina
  katherine kathleen kathryn kathy katie kayla keith kelly ken kenneth kevin kim kimberly kristen kristin kyle lamar larry latoya
  laura lauren lawrence leah lee leo leon leonard leslie leticia lillian linda lindsay lisa logan lois loretta lori louis louise lucas
  lucia lucille lucinda lucy luis luke luz lynn madison manuel marcia marco marcus margaret maria mariana marie marilyn mario
  marisol marjorie mark marlene marsha martha martin marvin mary mateo matt matthew maureen megan melanie melissa melvin mercedes
  michael michele michelle miguel mike mildred miriam mohamed mohammed monica morgan nancy natalie nathan nathaniel nicholas nicole
  nina noah norma norman olivia omar oscar pamela pat patricia patrick paul paula pauline pedro peggy peter philip phillip phyllis
  priya rachel rafael ralph ramon randy raul ray raymond rebecca renee ricardo richard rick ricky rita robert roberta roberto robin
  rodney roger roland ronald rosa rosalba rose rosemary roy ruben ruth ryan sally salvador sam samantha samuel sandra santiago sara
  sarah scott sean sergio shannon sharon shawn sheila sherry shirley silvia sofia sonia sophia stacy stanley stephanie stephen steve
  steven sue susan suzanne sylvia tamara tammy tanya tara ted teresa terry thelma theodore theresa thomas tiffany tim timothy tina
  tobias todd tom tommy tony tonya tracy travis tyler valeria valerie vanessa vera vernon veronica vicki victor victoria vincent
  viola violet virginia vivian walter wanda warren wayne wendy wesley will william willie xavier yolanda yvonne zachary zoe`.split(
    /\s+/,
  ),
);

/** Whether it is a common given name, whatever its case and accents. */
export const isGivenName = (text: string): boolean =>
  names.has(
    text
      .normalize('NFKD')
      .replace(/[\p{M}.]/gu, '')
      .toLowerCase(),
  );
