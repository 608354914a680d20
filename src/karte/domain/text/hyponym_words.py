"""Kinds of things that people ask for by the name of the kind, and how the things themselves are called: English.

A paragraph has the names of a kind, then the things, with commas between; its later lines are set in. Written from
what people say of each other's lives and work, the commonest first; no name stands for its own meaning alone (a state
may be a condition), which costs little, as things of a kind count for less than words.
"""

from __future__ import annotations

from typing import Final

ENGLISH: Final = """
sport, sports, athletic: football, soccer, basketball, baseball, softball, volleyball, tennis, table tennis,
  badminton, squash, golf, rugby, cricket, hockey, lacrosse, swimming, running, jogging, cycling, rowing, skiing,
  snowboarding, skating, skateboarding, surfing, climbing, gymnastics, athletics, marathon, triathlon, boxing,
  wrestling, fencing, karate, judo, taekwondo, kickboxing, archery, bowling, sailing, diving
martial art, martial arts: karate, judo, taekwondo, kickboxing, aikido, jiu jitsu, jujitsu, kung fu, tai chi, boxing,
  wrestling, fencing, kendo, muay thai, capoeira, krav maga
exercise, workout, fitness: yoga, pilates, gym, running, jogging, swimming, cycling, biking, walking, hiking, dancing,
  climbing, rowing, weights, weight training, weightlifting, cardio, aerobics, crossfit, kickboxing, boxing,
  stretching, squats, push ups, treadmill, circuit training, zumba, marathon
outdoor: hiking, hike, camping, camp, climbing, mountaineering, kayaking, canoeing, rafting, fishing, surfing,
  sailing, swimming, skiing, snowboarding, cycling, biking, running, picnic, gardening, birdwatching, trail, barbecue,
  safari
hobby, hobbies, pastime, activity, activities, leisure, interests,
  interested: painting, drawing, pottery, photography, gardening,
  cooking, baking, reading, writing, knitting, sewing, crochet, hiking, camping, swimming, running, dancing, singing,
  fishing, chess, gaming, woodworking, birdwatching, yoga, surfing, skiing, climbing, cycling, volunteering,
  travelling
instrument, instruments: guitar, piano, violin, viola, cello, drums, flute, clarinet, saxophone, trumpet, trombone,
  horn, ukulele, keyboard, bass, harp, harmonica, banjo, mandolin, accordion, organ, oboe, recorder
music, genre: jazz, rock, pop, classical, blues, country, folk, hip hop, rap, metal, punk, reggae, opera, techno,
  electronic, soul, song, album, concert, band, singer
musician, artist, band: singer, guitarist, drummer, pianist, concert, song, album, gig
pet, pets: dog, cat, puppy, pup, kitten, hamster, rabbit, bunny, parrot, goldfish, turtle, tortoise, guinea pig,
  snake, lizard, gecko, horse, canary, ferret, labrador, retriever, poodle, terrier, beagle, bulldog, husky, corgi,
  dachshund, collie, chihuahua, tabby, siamese
dog, dogs: puppy, pup, puppies, labrador, retriever, shepherd, poodle, terrier, beagle, bulldog, husky, dachshund,
  collie, corgi, chihuahua, dalmatian, greyhound, pug, spaniel
cat, cats: kitten, kitty, tabby, siamese
animal, animals: dog, cat, bird, horse, cow, sheep, goat, pig, chicken, rabbit, fox, wolf, bear, deer, lion, tiger,
  elephant, monkey, dolphin, whale, shark, turtle, snake, frog, owl, eagle
family, relative, relatives: mother, mom, father, dad, parents, sister, brother, son, daughter, wife, husband, kids,
  children, grandma, grandmother, grandpa, grandfather, aunt, uncle, cousin, niece, nephew, fam, siblings
child, children, kids: son, daughter, kid, child, baby, toddler, teenager, twins, triplets, newborn, boys, girls
parent, parents: mother, mom, mum, father, dad
sibling, siblings: brother, sister
grandparent, grandparents: grandmother, grandma, granny, grandfather, grandpa
spouse, partner: wife, husband, boyfriend, girlfriend, fiance, fiancee
relationship status, marital status: single, married, divorced, engaged, dating, widowed, separated, boyfriend,
  girlfriend, husband, wife, partner, breakup
country, countries, abroad: usa, america, canada, mexico, brazil, argentina, chile, peru, colombia, england, scotland,
  wales, ireland, uk, britain, france, germany, spain, portugal, italy, switzerland, austria, netherlands, belgium,
  denmark, sweden, norway, finland, iceland, poland, greece, turkey, russia, ukraine, egypt, morocco, kenya, south
  africa, nigeria, india, china, japan, korea, thailand, vietnam, indonesia, malaysia, singapore, philippines,
  australia, new zealand, israel
european: england, scotland, wales, ireland, uk, britain, france, germany, spain, portugal, italy, switzerland,
  austria, netherlands, belgium, denmark, sweden, norway, finland, iceland, poland, hungary, romania, greece, croatia
asian: india, china, japan, korea, thailand, vietnam, indonesia, malaysia, singapore, philippines, taiwan, nepal
african: egypt, morocco, tunisia, kenya, tanzania, ethiopia, ghana, nigeria, south africa
city, cities, town: new york, los angeles, chicago, boston, seattle, san francisco, miami, denver, houston, dallas,
  philadelphia, washington, atlanta, las vegas, new orleans, toronto, vancouver, montreal, london, paris, berlin,
  munich, madrid, barcelona, rome, milan, vienna, prague, amsterdam, brussels, dublin, lisbon, athens, istanbul,
  moscow, tokyo, kyoto, osaka, seoul, beijing, shanghai, hong kong, bangkok, mumbai, delhi, sydney, melbourne
state, states, us state: california, texas, florida, new york, oregon, washington, colorado, arizona, nevada, utah,
  hawaii, alaska, georgia, virginia, north carolina, michigan, ohio, illinois, minnesota, wisconsin, massachusetts,
  maine, vermont, pennsylvania, new jersey, tennessee, louisiana, new mexico, montana, idaho
place, places, location, locations, travel, travelled, trip: beach, museum, park, mountains, lake, forest, island,
  coast, castle, temple, cafe, restaurant, zoo, aquarium, gallery, city, abroad, vacation, holiday
colour, color, colours, colors: red, blue, green, yellow, orange, purple, pink, black, white, grey, brown, turquoise
food, dish, dishes, meal, meals, cuisine, recipe, recipes, cook,
  cooked, cooking: pizza, pasta, lasagna, rice, risotto, paella,
  salad, soup, stew, curry, sandwich, sushi, ramen, noodles, tacos, burger, steak, chicken, fish, salmon, shrimp,
  bread, cheese, eggs, pancakes, vegetables, potatoes, barbecue, breakfast, lunch, dinner
dessert, desserts, sweets: cake, pie, ice cream, cookies, brownie, chocolate, pudding, cobbler, sundae, tart, cupcake,
  muffin, donut, cheesecake, pastry, candy, custard, tiramisu, mousse
drink, drinks, beverage: coffee, tea, beer, wine, juice, water, soda, lemonade, cocktail, milk, smoothie, whisky,
  cider
fruit, fruits: apple, banana, orange, lemon, strawberry, blueberry, raspberry, cherry, grape, peach, pear, plum,
  mango, pineapple, melon, watermelon, kiwi
vegetable, vegetables: carrot, potato, tomato, onion, garlic, pepper, broccoli, cabbage, lettuce, spinach, cucumber,
  pumpkin, beans, peas, corn
allergy, allergies, allergic: peanuts, nuts, shellfish, gluten, dairy, lactose, pollen, penicillin, dust, eggs, soy,
  sneeze, sneezing, hives, rash
book, books, author, authors: novel, series, trilogy, biography, memoir, story, read, reading, fantasy, fiction,
  library
movie, movies, film, films: cinema, watched, watching, actor, director, trilogy, comedy, thriller, documentary, sequel
tv, series, tv show, tv shows: episode, season, watch, watching, watched, netflix, sitcom
game, games, gaming: chess, poker, monopoly, cards, board game, video game, console, nintendo, playstation,
  xbox, minecraft
job, for work, occupation, profession, career, living: teacher, nurse, doctor, engineer, lawyer, chef, writer, artist,
  actor, manager, designer, developer, programmer, counselor, accountant, journalist, pilot, driver, firefighter,
  officer, soldier, scientist, researcher, coach, consultant, salesman, waiter, company, office, promoted, hired
subject, degree, major, study, studied, studies: psychology, biology, chemistry, physics, mathematics, engineering,
  history, philosophy, literature, economics, law, medicine, nursing, education, art, computer science, university,
  college
language, languages: english, spanish, french, german, italian, portuguese, dutch, swedish, russian, arabic, hindi,
  chinese, mandarin, cantonese, japanese, korean, thai
religion, faith, religious: church, christian, catholic, buddhist, muslim, jewish, hindu, mosque, temple, synagogue,
  prayer, bible
illness, disease, sick, health, medical, condition: cancer, diabetes, flu, cold, asthma, migraine, headache, fever,
  depression, anxiety, stroke, surgery, hospital, doctor, infection, allergy, blood pressure, diagnosed
injury, injuries, injured, hurt: sprained, sprain, fracture, broken, broke, ankle, knee, wrist, concussion, torn,
  twisted, burned, burn, burnt, bruise, bruised, blisters, cut, stitches, dislocated
accident, damage, damages, damaged: crash, crashed, broke, broken, dent, smashed, collided, hit, repair
feeling, feelings, feel, emotion, mood: happy, sad, angry, scared, afraid, anxious, nervous, excited, lonely, proud,
  grateful, stressed, relaxed, tired, upset, thrilled
fear, fears, afraid, scared, phobia: afraid, scared, fear, terrified, phobia, heights, spiders, snakes, dark, flying,
  needles, crowds, frightened
wedding, marry, married, marriage: wedding, marry, marrying, married, engaged, bride, groom, fiance, fiancee,
  honeymoon, vows, newlyweds
stress, destress, relax, unwind: yoga, meditation, walk, bath, running, music, reading, painting, therapy, calming
weather: rain, raining, rainy, snow, storm, sunny, windy, fog, heat, thunder, hurricane, flood
disaster: flood, earthquake, fire, wildfire, hurricane, storm, tornado
clothes, clothing, outfit, wear: shirt, dress, jacket, jeans, trousers, shoes, boots, hat, coat, sweater, skirt, suit,
  scarf, gloves, socks, jersey, sneakers
jewelry, jewellery: ring, necklace, bracelet, earrings, pendant, brooch
furniture: table, chair, sofa, couch, bed, desk, shelf, wardrobe, lamp
device, devices, gadget, electronics: phone, laptop, computer, tablet, camera, console, headphones, tv, printer, watch
vehicle, vehicles, transport, transportation: car, truck, motorcycle, motorbike, bike, bicycle, van, bus, scooter,
  train, plane, boat, suv
art, arts, artwork, craft, crafts: painting, drawing, sketch, sculpture, pottery, photography, mural, portrait,
  ceramics, collage, sewing, knitting
event, events, attend, attended: party, wedding, birthday, parade, festival, concert, conference, convention,
  workshop, race, tournament, fair, exhibition, ceremony, funeral, gala, fundraiser, reunion, meetup, show,
  performance
celebrate, celebration, celebrated: party, birthday, wedding, anniversary, graduation, christmas, thanksgiving, dinner
holiday, holidays: christmas, thanksgiving, easter, halloween, new year, ramadan, hanukkah, diwali, vacation, trip
volunteering, volunteer, charity, community: shelter, donate, donated, fundraiser, soup kitchen, food bank, food
  drive, mentor, cleanup, cause, homeless
plant, plants, flower, flowers: rose, tulip, sunflower, daisy, lily, orchid, lavender, fern, cactus, succulent, garden
nature: mountain, beach, forest, lake, river, waterfall, sunset, hike, trail, park, ocean
bird, birds: eagle, owl, hawk, robin, parrot, sparrow, hummingbird, penguin, duck, swan
school, schools, education: elementary, middle school, high school, college, university, kindergarten, class, teacher,
  degree, graduated
award, awards, achievement, achievements, accomplishment,
  achieve, achieved: won, prize, medal, trophy, scholarship, promotion,
  championship, graduated, certificate
collect, collection, collectible, collectibles: stamps, coins, figurines, jerseys, cards, comics, vinyl, autograph,
  signed, dvds, postcards, memorabilia
identity, gender, orientation: transgender, trans, gay, lesbian, bisexual, queer, nonbinary, woman, man
shopping, purchase, purchases, purchased: bought, buy, ordered, store, shop, sale
house, housing, home: apartment, flat, condo, mansion, cottage, room, rent, mortgage, moved
diet, dietary: vegan, vegetarian, keto, gluten free, halal, kosher, dairy free, low carb, pescatarian
medication, medications, medicine, drug, drugs: aspirin, ibuprofen, paracetamol, insulin, antibiotics, penicillin,
  metformin, statin, inhaler, antidepressant, vitamin, pills, tablets, prescription
symptom, symptoms: pain, headache, fever, cough, nausea, rash, fatigue, dizzy, swelling, sore throat, vomiting
meat: beef, pork, chicken, lamb, turkey, bacon, ham, sausage, steak
gift, gifts, present, presents: necklace, ring, flowers, book, voucher, watch, chocolate, bracelet, perfume, toy
toy, toys: doll, lego, puzzle, teddy bear, blocks, train set, kite
tool, tools: hammer, drill, saw, screwdriver, wrench, ladder
profession, trade: carpenter, plumber, electrician, baker, butcher, mechanic, tailor, gardener
programming language, programming languages: python, rust, go, java, javascript, typescript, kotlin, swift, ruby, php,
  c++, c#, scala, haskell, elixir, lua, perl, sql
database, databases: postgres, postgresql, mysql, mariadb, sqlite, mongodb, redis, cassandra, dynamodb, duckdb,
  oracle, elasticsearch, clickhouse, neo4j
framework, frameworks, library, libraries: django, flask, fastapi, react, vue, angular, svelte, rails, spring,
  express, pytorch, tensorflow, pandas, numpy, laravel
cloud, cloud provider, hosting: aws, azure, gcp, heroku, vercel, netlify, cloudflare, digitalocean, hetzner
editor, editors, ide: vim, neovim, emacs, vscode, vs code, intellij, pycharm, sublime, cursor
operating system, os: linux, ubuntu, debian, fedora, windows, macos, android, ios, freebsd
browser, browsers: firefox, chrome, safari, edge, brave, opera
message queue, queue, broker: kafka, rabbitmq, sqs, nats, celery, pulsar
container, containers, orchestration: docker, kubernetes, podman, helm, k8s
package manager, package managers: pip, uv, poetry, npm, yarn, pnpm, cargo, conda, homebrew
chat, messenger, messaging: slack, teams, discord, telegram, whatsapp, signal, line, wechat
car, cars: toyota, honda, ford, chevrolet, tesla, volkswagen, vw, audi, bmw, mercedes, skoda, volvo, nissan, mazda,
  subaru, hyundai, kia, renault, peugeot, citroen, opel, fiat, porsche, jeep, prius, sedan, hatchback
how old, age: turned, years old, year old, birthday, born, aged
how much, price, cost, costs: euros, euro, dollars, dollar, pounds, bucks, usd, eur, paid, fee, rent, salary
doctor, doctors, physician: dr, vet, veterinarian, dentist, surgeon, paediatrician, pediatrician, cardiologist,
  dermatologist, gynaecologist, therapist, optician, clinic
"""
