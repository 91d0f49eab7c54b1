/**
 * Common given names in the United States (Social Security's lists of the last hundred years, Spanish ones among them). They
 * distinguish given names from family names in a list without headers.
 */
const names = new Set(
  `aaron abby abigail ada adam addison adela adele adrian adriana agnes ahmed aida aiden aisha akira alan alana albert alberto
  alden aldo alejandra alejandro alex alexander alexandra alexis alfonso alfred alfredo ali alice alicia alina alison allan
  allen alma alonso alvaro alvin alyssa amanda amber amelia amir amy ana anastasia andre andrea andres andrew angel angela
  angelica angelina anika anil anita anjali ann anna anne annette annie annika anthony antoinette antonio anya april araceli
  archie ariana ariel arlene arnold arthur arturo ashley ashok aubrey audrey aurora austin ava avery barbara beatrice beatriz
  becky belinda bella ben benito benjamin bernadette bernard bernice bertha beth betty beverly bianca bill billie billy blake
  blanca bob bobby bonita bonnie brad bradley brandi brandon brenda brent brian bridget brittany bruce bruno bryan bryant byron
  caleb calvin cameron candace cara carl carla carlos carlton carly carmen carol carolina caroline carolyn carrie cary cassandra
  catherine cecil cecilia celeste celia cesar chad chandra charles charlotte chelsea cheryl chester chloe chris christa
  christian christie christina christine christopher christy cindy claire clara clarence clarissa claudia clayton clifford
  clifton clint clyde cody colin colleen connie connor constance consuelo cora cornelius cory courtney craig cristian cristina
  crystal curt curtis cynthia daisy dale dalia damian damon dan dana danelle danica daniel daniela danielle danilo danny daphne
  darius darla darlene darnell darrell darren darryl dave david dawn deanna deb debbie deborah debra deepa delia della delores
  demetrius denis denise dennis derek deshawn desiree devin devon dexter diana diane diego dillon dimitri dina dmitri dolly
  dolores dominic dominique donald donna dora doreen dorian doris dorothy douglas dustin dwayne dwight dylan earl ebony eddie
  edgar edith edmund edna eduardo edward edwin efrain eileen elaine eleanor elena eli elias elijah elisa elise elizabeth ella
  ellen ellie elliot elmer elsa elvira emanuel emilia emilio emily emma emmanuel enrique eric erica erick erik erika erin ernest
  ernesto ernie esteban estela estelle esther ethan ethel eugene eugenia eunice eva evan evangeline evelyn everardo everett ezra
  fatima faye felicia felipe felix fernanda fernando fiona fitzgerald florence floyd forrest frances francine francis francisco
  frank franklin fred freddie frederick gabriel gabriela gail gary gavin gene genevieve geoffrey george georgia gerald geraldine
  gerardo gilbert gilberto gina giovanni gladys glen glenda glenn gloria gordon grace graciela greg gregory greta gretchen
  guadalupe guillermo gustavo gwen hank hannah harold harriet harry harvey hassan hattie hazel heather hector heidi helen henry
  herbert herman hilda holly horace howard hugo humberto ian ibrahim ignacio imani ingrid irene iris irma irvin irving isaac
  isabel isabella isaiah isidro ismael ivan ivy jack jackie jacob jacqueline jada jaden jaime jake jamal james jamie jan jane
  janelle janet janice janie jared jasmine jason javier javon jay jayden jean jeanette jeanne jeff jeffery jeffrey jenna
  jennifer jenny jeremiah jeremy jermaine jerome jerry jesica jesse jessica jesus jill jim jimmy joan joann joanna joanne
  joaquin jocelyn joe joel joey johanna john johnny jolene jon jonas jonathan jonathon jordan jorge jose joseph josephine joshua
  josiah josie josue joy joyce juan juana juanita judith judy julia julian juliana julie juliet juliette julio june justin
  justine kara karen kari karim karina karl karla kate katelyn katherine kathleen kathryn kathy katie katrina kayla kaylee
  keisha keith kelley kelly kelsey ken kendra kendrick kenneth kenny kent kenya kerry kevin khalid kiara kim kimberley kimberly
  kirk krista kristen kristi kristin kristina kristine kristopher krystal kurt kyle kyra lakshmi lamar lara larry lashonda
  latasha latisha latonya latoya laura laurel lauren laurie lawanda lawrence leah lee lena lenora leo leon leonard leroy leslie
  lester leticia levi lila lillian lillie lily linda lindsay lionel lisa liz liza lloyd logan lois lola lonnie lorena lorenzo
  loretta lori lorraine louis louisa louise lourdes lucas lucia luciano lucille lucinda lucy luis luisa luke luther luz lydia
  lyle lynda lynette lynn lynne mabel madison maggie malcolm malik mallory manuel manuela mara marcel marcella marci marcia
  marco marcus margaret margarita margie margo maria mariam mariana maribel maricela marie mariela marilyn marina mario marion
  marisol marissa maritza marjorie mark marla marlene marlon marsha marta martha martin marty marva marvin mary mateo matilda
  matt matthew mattie maureen maurice mauricio maxine maya mayra megan mei melanie melba melissa melvin mercedes mercy meredith
  merle mia micah michael micheal michele michelle mickey miguel mike mildred miles millie milton mina minerva minnie miranda
  miriam mohamed mohammad mohammed moises mollie molly mona monica monique monte morgan moses muhammad muriel myra myrna myron
  myrtle nadia nadine nancy naomi natalia natalie natasha nathalie nathan nathaniel ned neil nelda nellie nestor nettie nia
  nicholas nick nicolas nicole nikki nina nirmala noah noel noemi nolan nora norberto noreen norma norman octavia octavio odessa
  ofelia olga olive oliver olivia ollie omar opal ophelia orlando orville oscar otis owen pablo pam pamela paolo pascual pat
  patrice patricia patrick patsy patti patty paul paula paulette pauline pearl pedro peggy penelope penny percy perla perry pete
  peter philip phillip phoebe phyllis pilar prince priscilla priya quentin quincy rachael rachel rafael raheem rajesh rajiv
  ralph ramiro ramon ramona randal randall randolph randy raquel raul ravi ray raymond raymundo reba rebecca rebekah regina
  reginald rena rene renee reuben rex reyna rhonda ricardo richard rick ricky rita robert roberta roberto robin rocio roderick
  rodney rodolfo rodrigo rogelio roger roland rolando roman romeo ron ronald ronnie rosa rosalba rosalie rosalind rosalinda
  rosanne rosario rose roseanne rosemary rosetta rosie ross roxanne roy royce ruben ruby rudolph rudy rufus russell ruth ruthie
  ryan sabrina sadie sally salma salvador salvatore sam samantha sammy samuel sandra sanjay santiago sara sarah sasha saul
  savannah scott sean selena sergio seth shana shane shanice shannon shari sharon sharron shaun shauna shawn shawna sheila
  sheldon shelia shelley shelly sherry sheryl shirley shoshana sidney silas silvia simon simone skyler sofia solomon sonia sonja
  sonya sophia spencer stacey stacie stacy stan stanley stefan stella stephanie stephen steve steven stuart sue sunil suresh
  susan susana susanna susie suzanne suzette sybil sydney sylvia tabitha tamara tamika tammy tania tanisha tanya tara tasha ted
  teresa terrance terrell terrence terri terry tessa thaddeus thelma theo theodora theodore theresa thomas tiana tiffany tim
  timothy tina tobias toby todd tom tommie tommy toni tony tonya tracey traci tracy travis trent trevor trey tricia trina
  tristan troy trudy tyler tyrone ulysses ursula valentina valeria valerie vanessa velma vera verna vernon veronica vicki vickie
  victor victoria vijay vilma vince vincent viola violet virgil virginia vivian walter wanda warren wayne wendell wendi wendy
  wesley whitney wilbert wilbur wilfred will willa willard william willie winifred winston woodrow xavier xiomara yesenia
  yolanda yvette yvonne zachariah zachary zoe zoey zora`.split(/\s+/),
);

/** Whether it is a common given name, whatever its case and accents. */
export const isGivenName = (text: string): boolean =>
  names.has(
    text
      .normalize('NFKD')
      .replace(/[\p{M}.]/gu, '')
      .toLowerCase(),
  );
