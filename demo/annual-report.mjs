/**
 * The text of the demo's PDF: the report of a fictitious trust, written for this project and typeset by
 * `build-pdf.mjs`. A block is `{ heading }`, `{ text }`, `{ table: { title, columns, widths, rows } }` or `{
 * page: true }` (a new page).
 */
export const report = {
  title: 'Calder Fell Observatory Trust',
  subtitle: 'Annual Report 2025',
  blocks: [
    { heading: 'The year in brief' },
    {
      text: 'A public observatory lives from clear nights, and 2025 gave us few of them. Of the 84 open nights that we had planned, cloud, wind and one torn dome shutter left 50. All the same, more people looked through our telescopes than in any year since the dome was opened in 1971: 6,840 visitors came up the hill, almost sixteen per cent more than the 5,912 of 2024.',
    },
    {
      text: 'Three things will be remembered. In January a storm took half of the dome shutter with it. In summer the main mirror left the building for the first time in sixteen years and came back as bright as new. And in September the quarry in the valley agreed to turn its floodlights off at night, which did more for our sky than any instrument that we could have bought.',
    },
    {
      text: 'The Trust closed the year with a small surplus of £7,150, in spite of the most expensive single piece of work in its history. The trustees thank everybody who carried buckets, tickets, cables and children up the last eighty steps.',
    },
    { heading: 'Visitors and open nights' },
    {
      text: 'An open night is held on every Friday and Saturday outside the holidays, and is called off by four in the afternoon when the forecast leaves no hope. The table shows what was planned and what took place. The third quarter, with the fewest nights on the calendar, brought the most visitors: the meteor night of 12 August alone drew 612 people, who lay on blankets in the sheep field because the car park had run out of room.',
    },
    {
      table: {
        title: 'Table 1. Open nights and visitors in 2025',
        columns: ['Quarter', 'Nights planned', 'Nights held', 'Visitors', 'School groups'],
        widths: [150, 90, 80, 70, 90],
        rows: [
          ['January to March', '24', '11', '1,180', '14'],
          ['April to June', '18', '12', '1,645', '22'],
          ['July to September', '16', '12', '2,090', '6'],
          ['October to December', '26', '15', '1,925', '19'],
          ['Whole year', '84', '50', '6,840', '61'],
        ],
      },
    },
    {
      text: 'School visits recovered to 61 groups, the highest number since 2018. A school visit costs £300 for up to thirty-two pupils and lasts from 10:00 to 14:00; for schools where more than a third of the pupils receive free meals a fund of our donors pays instead, and eleven groups came on those terms. When the sky is covered the pupils grind a small mirror themselves. Four classes have since written to say that theirs still hangs in the classroom.',
    },
    { page: true },
    { heading: 'The main mirror' },
    {
      text: 'The heart of the observatory is a reflector with a mirror of 76 centimetres, cast in 1968 and last coated in 2009. Its aluminium had become dull and pitted: measured in March, it returned 71 per cent of the light that fell on it. On 2 June the mirror, which weighs 218 kilograms, was lifted out through the shutter opening by a mobile crane and driven at walking pace to the road.',
    },
    {
      text: 'It was away for eleven weeks. The old coating was stripped with a caustic bath, the glass was found to be free of cracks, and a new layer of aluminium with a protective coat of quartz was evaporated on to it in a vacuum chamber. The mirror came home on 19 August and returned 94 per cent of the light on the first measurement. Visitors notice the difference most on galaxies, whose outer arms have come back within reach of the eye.',
    },
    {
      text: 'Re-aluminising the mirror cost £48,600, of which £40,000 came from a grant for historic scientific instruments and the rest from members. With the quartz coat and a yearly wash in distilled water, the next coating should not be due before 2040. While the mirror was away, open nights went on with two borrowed telescopes of 30 centimetres on the terrace.',
    },
    { heading: 'The storm of 14 January' },
    {
      text: 'In the night of 14 January the anemometer on the roof recorded a gust of 158 kilometres an hour before it, too, was blown away. The eastern half of the dome shutter was torn from its rail and found next morning 230 metres down the slope. Nobody was in the building. The telescope had been parked under its cover, and the only instrument lost was a finder scope.',
    },
    {
      text: 'A tarpaulin and eleven volunteers kept the snow out for twenty-four days. On 7 February the observatory reopened with a shutter of the old pattern but with twice the number of roller bearings and a bolt that is closed whenever the wind passes 90 kilometres an hour. The repair cost £21,750. The insurer has agreed to pay £17,500 of it, and will do so in 2026, so that this year’s accounts carry the whole amount.',
    },
    { heading: 'Science from a small dome' },
    {
      text: 'Open nights end at eleven; what is left of the night belongs to the observers’ group. In 2025 its members contributed 4,212 brightness measurements of 37 variable stars to the international archive and timed 31 transits of exoplanets. Two pupils of the youth group found that one of those transits came nineteen minutes early, an observation that has since been confirmed from two other sites and is being written up with them as first authors.',
    },
    {
      text: 'On 9 November an asteroid passed in front of a ninth-magnitude star. The group had set up two stations 14 kilometres apart. Both saw the star go out, for 3.1 and 2.4 seconds, from which the asteroid is 41 kilometres across and noticeably flattened. It was the first occultation in the history of the observatory that was recorded from more than one place.',
    },
    { page: true },
    { heading: 'A darker sky' },
    {
      text: 'The brightness of the sky above the dome has been logged every clear night since 2012. At the zenith it averaged 21.4 magnitudes per square arcsecond in 2025, against 21.1 the year before; the higher the number, the darker the sky. Nearly all of the gain falls in the last four months, after the quarry six kilometres to the south had shielded its floodlights. Since 1 September they are off between 22:00 and 05:00.',
    },
    {
      text: 'The agreement came about over tea. Our head of education had invited the quarry’s night shift to an open night, and a loader driver asked why the Milky Way stopped in the south. The quarry has since found that it saves about £9,000 a year on electricity. We recommend the method.',
    },
    { heading: 'Money' },
    {
      text: 'Income rose by eleven per cent, mostly through the grant for the mirror. Admissions brought £61,560, an average of £9 for each visitor. The number of members grew to 1,098, each paying £25 a year. The surplus of £7,150 raises the free reserves to £64,900, which would carry the observatory for about five months if it had to close; the trustees’ aim remains six.',
    },
    {
      table: {
        title: 'Table 2. Income and expenditure in 2025, in pounds',
        columns: ['Income', 'Amount', 'Expenditure', 'Amount'],
        widths: [150, 80, 170, 80],
        rows: [
          ['Admissions', '61,560', 'Salaries', '96,400'],
          ['Grants', '55,000', 'Mirror re-aluminising', '48,600'],
          ['Donations and legacies', '31,240', 'Dome and storm repairs', '21,750'],
          ['Memberships', '27,450', 'Energy and insurance', '19,320'],
          ['Shop and café', '22,180', 'Shop and café stock', '12,640'],
          ['School visits', '18,300', 'Education materials', '9,870'],
          ['Total', '215,730', 'Total', '208,580'],
        ],
      },
    },
    { heading: 'People' },
    {
      text: 'The Trust employs three people: a head of education, a technician and a warden who also bakes. Everything else is done by 43 volunteers, who gave 5,260 hours in 2025. Telescope guides are trained over one winter, from October to March, and are examined by the hardest jury that we could think of, which is a class of eight-year-olds. Nine new guides passed this year.',
    },
    { page: true },
    { heading: 'What comes next' },
    {
      text: 'Three projects are decided for 2026. A terrace for observing the Sun, with a hydrogen-alpha telescope of 15 centimetres, will open on 16 May and will be free on Wednesday afternoons. From October there will be open nights on Thursdays as well. And the youth group, now 28 strong, will get a dome of its own in place of the garden shed from which it discovered its early transit.',
    },
    {
      text: 'The most important project is the oldest wish: to let everybody reach the eyepiece. The main telescope can only be used from a ladder, and a visitor in a wheelchair has so far had to make do with a screen. A platform lift that rises with the telescope has been designed and will cost £34,000. By the end of December the lift appeal had raised £21,000. We hope to order the lift in spring and to have it working by the first frost.',
    },
    { heading: 'How to help' },
    {
      text: 'Membership costs £25 a year, admits two people to every open night, and can be taken out at the desk. Firms that would like to look at their outdoor lighting with us are welcome at any time of day, though we find that the argument is best made in the dark. And if you own a caravan that you no longer use: the observers’ group would like somewhere to boil a kettle at three in the morning.',
    },
  ],
};
